package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.topology.VirtualHosts;
import io.mainstem.store.Durability;
import io.mainstem.store.ShardStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Makes virtual hosts: logged, then there for everybody. Thread: any; the work is done on the shard. */
final class VirtualHostRequests {
    private static final int NAME_BYTES_MAX = 255;
    /** Each has its limits of queues, exchanges and bindings for itself. */
    private static final int HOSTS_MAX = 256;

    private final Shard shard;
    private final ShardStore store;

    VirtualHostRequests(Shard shard, ShardStore store) {
        this.shard = shard;
        this.store = store;
    }

    /** Names in their order. */
    List<String> names() {
        return shard.queues().hosts().all().stream()
                .map(topology -> topology.virtualHost())
                .sorted()
                .toList();
    }

    /** Completes on the shard. */
    CompletionStage<Boolean> make(String name) {
        CompletableFuture<Boolean> made = new CompletableFuture<>();
        shard.post(() -> make(name, made));
        return made;
    }

    private void make(String name, CompletableFuture<Boolean> made) {
        VirtualHosts hosts = shard.queues().hosts();
        if (hosts.topology(name) != null) {
            made.complete(false);
            return;
        }
        BrokerException wrong = problem(name, hosts.all().size());
        if (wrong != null) {
            made.completeExceptionally(wrong);
            return;
        }
        store.submit(new LoggedChange(MetaFrames.of(List.of(VirtualHosts.record(name))), Durability.SYNC) {
            @Override
            public void onApplied() {
                hosts.add(name);
                made.complete(true);
            }

            @Override
            void refused() {
                made.completeExceptionally(new BrokerException(
                        ErrorKind.RESOURCE_LIMIT,
                        "MS-0336",
                        "virtual host '" + name + "' could not be logged and was not made: " + store.stateReason()
                                + ".",
                        "free disk space, then do it again."));
            }

            @Override
            void inDoubt() {
                made.completeExceptionally(new BrokerException(
                        ErrorKind.UNAVAILABLE,
                        "MS-0336",
                        "virtual host '" + name + "' could not be logged, it is not known whether it is there: "
                                + store.stateReason() + ".",
                        "restart the broker, then look whether it is there."));
            }
        });
    }

    private static @Nullable BrokerException problem(String name, int hosts) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > NAME_BYTES_MAX || name.chars().anyMatch(Character::isISOControl)) {
            return new BrokerException(
                    ErrorKind.INVALID_ARGUMENT,
                    "MS-0304",
                    "a virtual host's name of " + bytes + " bytes (expected: 1 to " + NAME_BYTES_MAX
                            + " bytes of UTF-8, no control characters).",
                    "use another name.");
        }
        if (hosts >= HOSTS_MAX) {
            return new BrokerException(
                    ErrorKind.RESOURCE_LIMIT,
                    "MS-0329",
                    "there are " + hosts + " virtual hosts (limit: " + HOSTS_MAX + ").",
                    "use one that is there.");
        }
        return null;
    }
}
