package io.mainstem.launcher;

import io.mainstem.launcher.config.BrokerConfig;
import io.mainstem.launcher.config.ConfigKeys;
import io.mainstem.launcher.config.Settings;
import io.mainstem.launcher.lifecycle.ExitCode;
import io.mainstem.launcher.lifecycle.RunningBroker;
import io.mainstem.launcher.lifecycle.StopSignals;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code mainstem start}. */
@Command(
        name = "start",
        description = "Runs the broker in the foreground until SIGTERM or Ctrl-C; a second signal ends it at once.",
        footer = {
            "%nExamples:",
            "  mainstem start",
            "  mainstem start --data /var/lib/mainstem --config /etc/mainstem.yaml",
            "  mainstem start --set amqp.port=0 --set store.segment-bytes=64MiB"
        })
final class StartCommand implements Callable<Integer> {
    @Mixin
    private final ConfigOptions options = new ConfigOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Override
    public Integer call() {
        Settings settings = options.load();
        System.setProperty("mainstem.log.level", settings.get(ConfigKeys.LOG_LEVEL));
        BrokerConfig config = BrokerConfig.of(settings);

        CompletableFuture<ExitCode> end = new CompletableFuture<>();
        StopSignals.install(() -> end.complete(ExitCode.OK), Runtime.getRuntime()::halt);
        try (RunningBroker broker = RunningBroker.start(config, BuildInfo.version(), end::complete)) {
            spec.commandLine().getOut().print(StartScreen.text(broker, BuildInfo.version()));
            spec.commandLine().getOut().flush();
            return end.join().number();
        }
    }
}
