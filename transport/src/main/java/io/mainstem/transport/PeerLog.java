package io.mainstem.transport;

import io.netty.util.concurrent.Ticker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warnings about what peers do wrong. Peers decide how often that is, on as many connections as they like, so of each kind
 * the first ones in a minute are logged and the others counted; these are at level debug. Thread: any.
 */
public final class PeerLog {
    /** Lines of one kind in a minute. */
    static final int LINES_MAX = 20;

    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private final Ticker ticker;
    private final Map<String, Window> windows = new ConcurrentHashMap<>();

    /** A minute of one kind; guarded by itself. */
    private static final class Window {
        long beginNanos;
        int lines;
        long withheld;
    }

    /** Logs under the name of a class. */
    public static PeerLog of(Class<?> name) {
        return new PeerLog(LoggerFactory.getLogger(name), Ticker.systemTicker());
    }

    PeerLog(Logger log, Ticker ticker) {
        this.log = log;
        this.ticker = ticker;
    }

    /**
     * A warning.
     *
     * @param kind what is counted together, such as the code of the line; one of few, not what a peer has sent
     * @param format as that of {@link Logger#warn(String, Object...)}
     */
    public void warn(String kind, String format, @Nullable Object... arguments) {
        Window window = windows.computeIfAbsent(kind, first -> begun());
        long untold = 0;
        int line;
        synchronized (window) {
            long now = ticker.nanoTime();
            if (now - window.beginNanos >= WINDOW_NANOS) {
                untold = window.withheld;
                window.beginNanos = now;
                window.lines = 0;
                window.withheld = 0;
            }
            line = ++window.lines;
            if (line > LINES_MAX) {
                window.lines = LINES_MAX;
                window.withheld++;
            }
        }
        if (untold > 0) {
            log.warn("{} {} more of these were not logged", kind, untold);
        }
        if (line > LINES_MAX) {
            log.debug(format, arguments);
        } else {
            log.warn(
                    line == LINES_MAX ? format + "; more of these are counted, and not logged for a minute" : format,
                    arguments);
        }
    }

    private Window begun() {
        Window window = new Window();
        window.beginNanos = ticker.nanoTime();
        return window;
    }
}
