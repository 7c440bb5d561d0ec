package io.mainstem.launcher;

import io.mainstem.launcher.config.ConfigKeys;
import io.mainstem.launcher.config.Settings;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code mainstem start}. */
@Command(name = "start", description = "Runs the broker in the foreground until SIGTERM or Ctrl-C.")
final class StartCommand implements Callable<Integer> {
    @Mixin
    private final ConfigOptions options = new ConfigOptions();

    @Override
    public Integer call() {
        Settings settings = options.load();
        System.setProperty("mainstem.log.level", settings.get(ConfigKeys.LOG_LEVEL));
        return 0;
    }
}
