package io.mainstem.launcher;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code mainstem version}. */
@Command(name = "version", description = "Prints the versions of the broker and of the Java that runs it.")
final class VersionCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().getOut().println(text());
        return 0;
    }

    private static String text() {
        return "Mainstem " + BuildInfo.version() + " (Java " + Runtime.version() + ")";
    }

    /** For {@code --version}. */
    static final class Provider implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {text()};
        }
    }
}
