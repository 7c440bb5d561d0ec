package io.mainstem.launcher;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Keeps Netty's and the broker's DEBUG lines out of an application that embeds the broker and has no configuration of Logback.
 * Logback asks it after it has found no configuration file and before its own fallback, which prints everything to the console
 * and still does for all other loggers. With another SLF4J provider this class is never loaded.
 *
 * <p>Thread: whichever asks for the first logger.
 */
@ConfiguratorRank(ConfiguratorRank.NOMINAL)
public final class EmbeddedLogLevels extends ContextAwareBase implements Configurator {
    /** Called by Logback's service loader. */
    public EmbeddedLogLevels() {}

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        context.getLogger("io.netty").setLevel(Level.INFO);
        context.getLogger("io.mainstem").setLevel(Level.INFO);
        return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
}
