package io.mainstem.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who loses a connection when users change. */
final class ConnectionsTest {
    private final Connections connections = new Connections();
    private final List<Long> ended = new ArrayList<>();

    private long add(Connections.Moment since, @Nullable String user) {
        long id = connections.nextId();
        connections.add(
                new Connections.Info(id, "test", "127.0.0.1:1", "client", null, user, "/", 0),
                since,
                reason -> ended.add(id));
        return id;
    }

    private int revoke(String user) {
        return connections.revoke(peer -> user.equals(peer.user()) ? "changed" : null);
    }

    @Test
    void openConnectionsThatAreCoveredEnd() {
        long alice = add(connections.moment(), "alice");
        add(connections.moment(), "bob");
        add(connections.moment(), null);

        assertThat(revoke("alice")).isEqualTo(1);

        assertThat(ended).containsExactly(alice);
    }

    @Test
    void whoWasLetInBeforeARevocationAndIsListedAfterItEnds() {
        Connections.Moment before = connections.moment();
        revoke("carol");
        revoke("alice");
        revoke("dave");

        long alice = add(before, "alice");
        add(before, "bob");
        add(connections.moment(), "alice");

        assertThat(ended).containsExactly(alice);
    }
}
