package io.mainstem.launcher;

import io.mainstem.launcher.admin.ManagementFailure;
import io.mainstem.launcher.config.ConfigException;
import io.mainstem.launcher.lifecycle.ExitCode;
import io.mainstem.launcher.lifecycle.StartFailure;
import io.mainstem.launcher.security.UsersFileException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The {@code mainstem} command. */
@Command(
        name = "mainstem",
        versionProvider = VersionCommand.Provider.class,
        synopsisSubcommandLabel = "COMMAND",
        description = "A message broker: one log, many protocols.",
        subcommands = {
            StartCommand.class,
            ConfigCommand.class,
            UserCommand.class,
            StoreCommand.class,
            SnapshotCommand.class,
            QueueCommand.class,
            ExchangeCommand.class,
            PolicyCommand.class,
            DelayedCommand.class,
            BindingCommand.class,
            ConnectionCommand.class,
            VhostCommand.class,
            PubCommand.class,
            SubCommand.class,
            BrowseCommand.class,
            ReqCommand.class,
            VersionCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done, or stopped cleanly",
            "1:Java could not be started with the options it was given",
            "3:the broker ran out of memory",
            "64:the command line is wrong",
            "65:the broker refuses a request for what it says",
            "66:what is named does not exist",
            "69:no broker answers",
            "70:internal error",
            "73:the data folder cannot be created or written",
            "74:the log met an I/O error",
            "75:a port or the data folder is in use",
            "77:the broker does not let this user do that",
            "78:the configuration or the log's content is refused",
            "124:no message or answer came in the time that was given"
        },
        footer = {"%nExamples:", "  mainstem start", "  mainstem start --data /var/lib/mainstem --set amqp.port=0"})
public final class Main {
    private static final String LOGBACK_FILE = "logback.configurationFile";

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Shows this help.")
    @SuppressWarnings("unused") // Picocli acts on it.
    private boolean helpWanted;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Shows the version.")
    @SuppressWarnings("unused") // Picocli acts on it.
    private boolean versionWanted;

    private Main() {}

    /** Runs the command and ends the process with one of {@link ExitCode}. */
    public static void main(String[] arguments) {
        // Before the first logger: our configuration must not get in the way of an application that embeds the broker,
        // so it does not have the name that logback looks for by itself.
        if (System.getProperty(LOGBACK_FILE) == null) {
            System.setProperty(LOGBACK_FILE, "mainstem-logback.xml");
        }
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler(Main::wrongUsage)
                .setExecutionExceptionHandler((failure, command, parsed) -> report(failure, command.getErr()));
    }

    private static int wrongUsage(CommandLine.ParameterException failure, String[] arguments) {
        CommandLine command = failure.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("mainstem: " + failure.getMessage());
        if (!CommandLine.UnmatchedArgumentException.printSuggestions(failure, err)) {
            err.println("Usage: see '" + command.getCommandSpec().qualifiedName() + " --help'.");
        }
        return ExitCode.USAGE.number();
    }

    /** One message with the fix on the console for what a user can mend; a stack trace only for our own bugs. */
    private static int report(Exception failure, PrintWriter err) {
        if (failure instanceof ConfigException wrong) {
            wrong.problems().forEach(problem -> err.println("mainstem: " + problem));
            return ExitCode.REFUSED.number();
        }
        if (failure instanceof ManagementFailure refused) {
            err.println("mainstem: " + refused.getMessage());
            return refused.exitCode().number();
        }
        if (failure instanceof UserRefusal refused) {
            err.println("mainstem: " + refused.getMessage());
            return refused.exitCode().number();
        }
        if (failure instanceof StartFailure refused) {
            err.println("mainstem: " + refused.getMessage());
            return refused.exitCode().number();
        }
        if (failure instanceof UsersFileException refused) {
            err.println("mainstem: " + refused.getMessage());
            return ExitCode.REFUSED.number();
        }
        if (failure instanceof JMSException || failure instanceof JMSRuntimeException) {
            err.println("mainstem: " + MessagingExit.text(failure));
            return MessagingExit.of(failure).number();
        }
        err.println("mainstem: MS-0100 internal error: " + failure + " fix: please report it with the lines below.");
        failure.printStackTrace(err);
        return ExitCode.INTERNAL.number();
    }
}
