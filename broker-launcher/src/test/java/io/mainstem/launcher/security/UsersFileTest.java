package io.mainstem.launcher.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import io.mainstem.transport.security.Users;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The users file: what is written comes back, what is wrong is told, what changes is noticed. */
final class UsersFileTest {
    private static final List<AccessRule> RULES =
            List.of(AccessRule.parse("deny write topic secret.#"), AccessRule.parse("allow all on /"));

    @TempDir
    Path folder;

    private UsersFile file() {
        return new UsersFile(folder.resolve("users.yaml"));
    }

    private static User user(String name) {
        return new User(name, Users.verifiers("secret".toCharArray(), new byte[16], 4096), RULES);
    }

    @Test
    void whatIsWrittenComesBack() throws IOException {
        UserList list = file().read()
                .with(user("alice"))
                .with(user("o'neil: \"x\" #1"))
                .with(new User("by-card", Map.of(), List.of()));
        file().write(list);

        UserList read = file().read();
        assertThat(read.sorted()).extracting(User::name).containsExactly("alice", "by-card", "o'neil: \"x\" #1");
        assertThat(read.find("alice").verifiers().toString())
                .isEqualTo(list.find("alice").verifiers().toString());
        assertThat(read.find("alice").permissions()).isEqualTo(RULES);
        assertThat(read.find("by-card").verifiers()).isEmpty();
        assertThat(read.decoyKey()).isEqualTo(list.decoyKey());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file().path())))
                .isEqualTo("rw-------");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.toList()).containsExactly(file().path());
        }
    }

    @Test
    void aFileThatIsNotThereHasNoUsers() {
        assertThat(file().read().byName()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "users: [alice]",
                "users: {alice: {verifiers: [secret]}}",
                "users: {alice: {password: secret}}",
                "users: {alice: {permissions: [allow flying]}}",
                "user: {}",
                "users: {\"a\\u0007b\": {}}",
                "decoy-key: x",
                "users: {alice: {}",
                "just text"
            })
    void whatIsWrongIsToldWithTheFile(String text) throws IOException {
        Files.writeString(file().path(), text);

        assertThatThrownBy(() -> file().read())
                .isInstanceOf(UsersFileException.class)
                .hasMessageContainingAll("MS-0115", "users.yaml", "fix:");
    }

    @Test
    void aRunningBrokerNoticesAChangeAndKeepsWhatItHadIfTheNewFileIsWrongOrGone() throws IOException {
        file().write(file().read().with(user("alice")));
        try (FileWatch watch = new FileWatch()) {
            LiveUsers live = new LiveUsers(file(), new UsersMarker(folder.resolve("had-users")), watch);
            assertThat(live.users().contains("bob")).isFalse();

            file().write(file().read().with(user("bob")));
            await().atMost(Duration.ofMinutes(1)).until(() -> live.users().contains("bob"));

            Path marker = folder.resolve("marker");
            boolean[] looked = new boolean[1];
            watch.add(List.of(marker), () -> looked[0] = true);
            Files.writeString(file().path(), "users: [");
            Files.writeString(marker, "1");
            await().atMost(Duration.ofMinutes(1)).until(() -> looked[0]);
            assertThat(live.users().contains("alice")).isTrue();

            looked[0] = false;
            Files.delete(file().path());
            Files.writeString(marker, "22");
            await().atMost(Duration.ofMinutes(1)).until(() -> looked[0]);
            assertThat(live.users().contains("alice")).isTrue();
        }
    }

    @Test
    void removingTheLastUserOfARunningBrokerLetsNobodyIn() {
        file().write(file().read().with(user("alice")));
        try (FileWatch watch = new FileWatch()) {
            LiveUsers live = new LiveUsers(file(), new UsersMarker(folder.resolve("had-users")), watch);
            List<LiveUsers.Revoked> revoked = new CopyOnWriteArrayList<>();
            live.onRevoked(revoked::add);

            file().write(file().read().without("alice"));

            await().atMost(Duration.ofMinutes(1))
                    .until(() -> revoked.stream().anyMatch(each -> each.reason("alice") != null));
            assertThat(live.users().contains("alice")).isFalse();
            assertThat(live.users().isEmpty())
                    .as("not as if there had never been any")
                    .isFalse();
            assertThat(live.policy()).isNotSameAs(AccessPolicy.OPEN);

            file().write(file().read().with(user("bob")));
            await().atMost(Duration.ofMinutes(1)).until(() -> live.users().contains("bob"));
        }
    }
}
