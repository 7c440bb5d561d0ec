package io.mainstem.launcher.lifecycle;

import io.mainstem.launcher.security.FileWatch;
import io.mainstem.store.ShardStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots that {@code mainstem snapshot create} asks a running broker for, by a file in the data folder: whoever may
 * write there may read everything anyway, so no login is needed.
 *
 * <p>{@code snapshot.request}: a line with any id, a line with the folder to make. {@code snapshot.answer}: the id, then
 * {@code done}, {@code failed} or {@code working}, then the reason, or how many seconds it has been at work: who waits sees
 * by that line that the broker lives. Thread: that of the file watch.
 */
public final class SnapshotRequests {
    /** File with the request. */
    public static final String REQUEST = "snapshot.request";

    /** File with the answer. */
    public static final String ANSWER = "snapshot.answer";

    /** Second line of an answer that is none yet. */
    public static final String WORKING = "working";

    private static final Logger LOG = LoggerFactory.getLogger(SnapshotRequests.class);

    private final Path data;
    private final ShardStore store;
    /** Seconds since they were asked for, by id, of snapshots that are not made yet. */
    private final Map<String, Integer> underWay = new ConcurrentHashMap<>();

    private SnapshotRequests(Path data, ShardStore store) {
        this.data = data;
        this.store = store;
    }

    /** Looks for requests from now on; what was asked of an earlier broker is forgotten. */
    static void watch(FileWatch watch, Path data, ShardStore store) {
        SnapshotRequests requests = new SnapshotRequests(data, store);
        requests.forget();
        watch.add(List.of(data.resolve(REQUEST)), requests::look);
        watch.eachSecond(requests::sayThatItLives);
    }

    private void forget() {
        try {
            Files.deleteIfExists(data.resolve(REQUEST));
        } catch (IOException e) {
            LOG.warn(
                    "MS-0123 snapshot request not removed file={} reason=\"{}\" fix: let the broker write in its data"
                            + " folder, then remove the file",
                    data.resolve(REQUEST),
                    e.toString());
        }
    }

    private void look() {
        List<String> lines;
        try {
            lines = Files.readAllLines(data.resolve(REQUEST));
        } catch (IOException absent) {
            return;
        }
        forget();
        if (lines.size() < 2) {
            return;
        }
        String id = lines.get(0);
        underWay.put(id, 0);
        store.snapshot(Path.of(lines.get(1)).resolve("store")).whenComplete((bytes, failure) -> {
            underWay.remove(id);
            if (failure == null) {
                answer(id, "done", "");
            } else {
                answer(id, "failed", String.valueOf(failure.getMessage()));
            }
        });
    }

    private void sayThatItLives() {
        underWay.replaceAll((id, seconds) -> {
            answer(id, WORKING, Integer.toString(seconds));
            return seconds + 1;
        });
    }

    // Synchronized: an answer comes from the store's threads, and nothing may be written over it.
    private synchronized void answer(String id, String result, String reason) {
        if (result.equals(WORKING) != underWay.containsKey(id)) {
            return;
        }
        Path draft = data.resolve(ANSWER + ".tmp");
        try {
            Files.writeString(draft, id + "\n" + result + "\n" + reason + "\n");
            Files.move(draft, data.resolve(ANSWER), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.warn(
                    "MS-0123 snapshot {} but the answer could not be written reason=\"{}\" fix: let the broker write"
                            + " in its data folder",
                    result,
                    e.toString());
        }
    }
}
