package io.mainstem.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code mainstem user}: the file it makes, and what it refuses. */
final class UserCommandTest {
    @TempDir
    Path folder;

    private final InputStream stdin = System.in;

    @AfterEach
    void restore() {
        System.setIn(stdin);
    }

    private record Result(int code, String out, String err) {}

    private Result run(String input, String... arguments) {
        System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int code = command.execute(arguments);
        return new Result(code, out.toString(), err.toString());
    }

    private Result user(String input, String verb, String... more) {
        String[] arguments = new String[more.length + 6];
        arguments[0] = "user";
        arguments[1] = verb;
        arguments[2] = "--data";
        arguments[3] = folder.toString();
        arguments[4] = "--set";
        arguments[5] = "security.password-iterations=4096";
        System.arraycopy(more, 0, arguments, 6, more.length);
        return run(input, arguments);
    }

    @Test
    void usersAreAddedListedChangedAndRemoved() throws Exception {
        Path file = folder.resolve("users.yaml");

        assertThat(user("secret\n", "add", "alice").out()).contains("added user 'alice'", file.toString());
        assertThat(user("", "add", "card", "--no-password").code()).isZero();
        assertThat(user("", "list").out())
                .contains("alice  password, 4096 iterations")
                .contains("card  certificate only");
        String before = Files.readString(file);
        assertThat(before).doesNotContain("secret").contains("SCRAM-SHA-256$4096:", "SCRAM-SHA-512$4096:");

        assertThat(user("other\n", "passwd", "alice").code()).isZero();
        assertThat(Files.readString(file)).isNotEqualTo(before);
        assertThat(user("", "remove", "alice").code()).isZero();
        assertThat(user("", "list").out()).doesNotContain("alice");
    }

    @Test
    void aNewUserMayDoEverythingUnlessToldOtherwise() {
        user("secret\n", "add", "alice");
        user("secret\n", "add", "bob", "--permit", "allow read topic news.#", "--permit", "deny all");

        assertThat(user("", "permissions", "alice").out()).isEqualToNormalizingNewlines("allow all\n");
        assertThat(user("", "permissions", "bob").out())
                .isEqualToNormalizingNewlines("allow read topic news.#\ndeny all\n");
        assertThat(user("", "permissions", "bob", "--permit", "deny all").code())
                .isZero();
        assertThat(user("", "permissions", "bob").out()).isEqualToNormalizingNewlines("deny all\n");
        assertThat(user("", "permissions", "bob", "--permit", "fly").err()).contains("MS-0117", "no permission");
        assertThat(user("", "permissions", "bob", "--permit", "allow write queue orders.#")
                        .err())
                .contains("MS-0117", "is no wildcard", "meant: 'queue orders.*'?");
    }

    @Test
    void whatCannotBeDoneIsToldAndChangesNothing() {
        user("secret\n", "add", "alice");

        assertThat(user("x\n", "add", "alice")).satisfies(refused -> {
            assertThat(refused.code()).isEqualTo(65);
            assertThat(refused.err()).contains("MS-0117", "'alice' exists", "fix:");
        });
        assertThat(user("", "remove", "bob")).satisfies(refused -> {
            assertThat(refused.code()).isEqualTo(66);
            assertThat(refused.err()).contains("MS-0117", "no user 'bob'");
        });
        assertThat(user("", "list", "surplus").code()).isEqualTo(64);
        assertThat(user("\n", "add", "bob").err()).contains("MS-0117", "password is empty");
        assertThat(user("secret\n", "add", "b\u0007b").err()).contains("MS-0117", "no user name");
        assertThat(user("", "list").out()).doesNotContain("bob");
    }
}
