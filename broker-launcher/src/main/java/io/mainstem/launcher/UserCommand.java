package io.mainstem.launcher;

import io.mainstem.launcher.config.BrokerConfig;
import io.mainstem.launcher.config.SecurityConfig;
import io.mainstem.launcher.lifecycle.ExitCode;
import io.mainstem.launcher.security.User;
import io.mainstem.launcher.security.UserList;
import io.mainstem.launcher.security.UsersFile;
import io.mainstem.routing.access.AccessRule;
import io.mainstem.transport.security.SaslPrep;
import io.mainstem.transport.security.ScramHash;
import io.mainstem.transport.security.ScramVerifier;
import io.mainstem.transport.security.Users;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mainstem user}: who may come in. Works on the users file; a running broker notices. */
@Command(
        name = "user",
        synopsisSubcommandLabel = "COMMAND",
        description = "Changes who may use the broker; a running broker takes the change over within seconds.",
        footer = {
            "%nA password is asked for, or read from standard input, never given as an argument.",
            "%nExamples:",
            "  mainstem user add alice",
            "  mainstem user add reader --permit 'allow read topic news.#'",
            "  mainstem user add alice < password.txt",
            "  mainstem user list"
        })
final class UserCommand {
    private static final int SALT_BYTES = 16;

    private static final List<AccessRule> EVERYTHING = List.of(AccessRule.parse("allow all"));

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Command(description = "Adds a user.")
    int add(
            @Mixin ConfigOptions options,
            @Parameters(paramLabel = "NAME", description = "1 to 255 characters.") String name,
            @Option(names = "--no-password", description = "The user comes by client certificate only.")
                    boolean noPassword,
            @Mixin PermissionOptions permissions) {
        SecurityConfig config = BrokerConfig.of(options.load()).security();
        UsersFile file = new UsersFile(config.usersFile());
        UserList list = file.read();
        String user = normal(name);
        if (list.find(user) != null) {
            throw new UserRefusal(
                    ExitCode.REQUEST_REFUSED,
                    "MS-0117 user '" + user + "' exists. fix: choose another name, or use 'mainstem user passwd'.");
        }
        List<AccessRule> rules = permissions.orElse(EVERYTHING);
        file.write(list.with(new User(user, noPassword ? Map.of() : verifiers(config), rules)));
        return done("added user '" + user + "' to " + file.path());
    }

    @Command(description = "Sets a new password.")
    int passwd(@Mixin ConfigOptions options, @Parameters(paramLabel = "NAME") String name) {
        SecurityConfig config = BrokerConfig.of(options.load()).security();
        UsersFile file = new UsersFile(config.usersFile());
        UserList list = file.read();
        User user = existing(list, name);
        file.write(list.with(user.withVerifiers(verifiers(config))));
        return done("changed the password of user '" + user.name() + "' in " + file.path());
    }

    @Command(
            description = "Prints what a user may do, or sets it if options are given.",
            footer = {
                "%nThe rules are asked in their order; what none allows is denied. Place-holders: %%u user, %%c client id.",
                "%nExamples:",
                "  mainstem user permissions alice",
                "  mainstem user permissions alice --permit 'allow read,write queue orders.*'"
                        + " --permit 'allow read mqtt-topic sensors/%%u/#'"
            })
    int permissions(
            @Mixin ConfigOptions options,
            @Parameters(paramLabel = "NAME") String name,
            @Mixin PermissionOptions permissions) {
        UsersFile file =
                new UsersFile(BrokerConfig.of(options.load()).security().usersFile());
        UserList list = file.read();
        User user = existing(list, name);
        List<AccessRule> rules = permissions.orElse(user.permissions());
        if (!rules.equals(user.permissions())) {
            file.write(list.with(user.withPermissions(rules)));
        }
        rules.forEach(rule -> spec.commandLine().getOut().println(rule.text()));
        return ExitCode.OK.number();
    }

    @Command(description = "Removes a user. Its open connections are closed.")
    int remove(@Mixin ConfigOptions options, @Parameters(paramLabel = "NAME") String name) {
        UsersFile file =
                new UsersFile(BrokerConfig.of(options.load()).security().usersFile());
        UserList list = file.read();
        User user = existing(list, name);
        file.write(list.without(user.name()));
        return done("removed user '" + user.name() + "' from " + file.path());
    }

    @Command(description = "Prints the users and how they come in.")
    int list(@Mixin ConfigOptions options) {
        UsersFile file =
                new UsersFile(BrokerConfig.of(options.load()).security().usersFile());
        for (User user : file.read().sorted()) {
            int rules = user.permissions().size();
            spec.commandLine()
                    .getOut()
                    .println(user.name() + "  " + describe(user.verifiers()) + ", " + rules
                            + (rules == 1 ? " permission" : " permissions"));
        }
        return ExitCode.OK.number();
    }

    private static String describe(Map<ScramHash, ScramVerifier> verifiers) {
        return verifiers.isEmpty()
                ? "certificate only"
                : "password, " + verifiers.values().iterator().next().iterations() + " iterations";
    }

    private int done(String text) {
        spec.commandLine().getOut().println(text);
        return ExitCode.OK.number();
    }

    private User existing(UserList list, String name) {
        User user = list.find(normal(name));
        if (user == null) {
            throw new UserRefusal(
                    ExitCode.NO_SUCH,
                    "MS-0117 there is no user '" + name + "'. fix: 'mainstem user list' prints those there are.");
        }
        return user;
    }

    private String normal(String name) {
        String normal = SaslPrep.prepare(name);
        if (normal == null) {
            throw wrong("MS-0117 '" + name + "' is no user name. fix: use characters that can be printed.");
        }
        return normal;
    }

    private ParameterException wrong(String text) {
        return new ParameterException(spec.commandLine(), text);
    }

    // ---- password --------------------------------------------------------------------------------------------

    private Map<ScramHash, ScramVerifier> verifiers(SecurityConfig config) {
        String password = SaslPrep.prepare(password());
        if (password == null) {
            throw wrong("MS-0117 the password is empty or has control characters. fix: choose another.");
        }
        byte[] salt = new byte[SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        return Users.verifiers(password.toCharArray(), salt, config.passwordIterations());
    }

    private String password() {
        return Optional.ofNullable(System.console())
                .filter(UserCommand::isTerminal)
                .map(this::asked)
                .orElseGet(UserCommand::firstLine);
    }

    /** From Java 22 on there is a console also if nobody sits in front of it, and a way to tell. */
    private static boolean isTerminal(Console console) {
        try {
            return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException olderJava) {
            return true;
        }
    }

    private String asked(Console console) {
        char[] first = entered(console.readPassword("Password: "));
        char[] second = entered(console.readPassword("Once more: "));
        if (!Arrays.equals(first, second)) {
            throw wrong("MS-0117 the two passwords differ. fix: try again.");
        }
        return new String(first);
    }

    private static char[] entered(char @Nullable [] password) {
        return password == null ? new char[0] : password;
    }

    private static String firstLine() {
        try {
            String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            return line == null ? "" : line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
