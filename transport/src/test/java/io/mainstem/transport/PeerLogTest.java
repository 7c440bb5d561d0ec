package io.mainstem.transport;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A log that peers cannot flood. */
final class PeerLogTest {
    private final MockTicker clock = Ticker.newMockTicker();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private PeerLog log;

    @BeforeEach
    void open() {
        Logger logger = new LoggerContext().getLogger("peers");
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
        log = new PeerLog(logger, clock);
    }

    private List<String> lines() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private void flood(int count) {
        for (int number = 1; number <= count; number++) {
            log.warn("MS-1", "MS-1 refused peer={}", number);
        }
    }

    @Test
    @DisplayName("of each kind the first lines in a minute are logged, and the last of them says that it is the last")
    void aFloodIsCut() {
        flood(10_000);
        log.warn("MS-2", "MS-2 another peer={}", "x");

        assertThat(lines())
                .hasSize(PeerLog.LINES_MAX + 1)
                .startsWith("MS-1 refused peer=1")
                .endsWith("MS-2 another peer=x");
        assertThat(lines().get(PeerLog.LINES_MAX - 1)).startsWith("MS-1 refused peer=20; more of these");
    }

    @Test
    @DisplayName("a minute later it says how many there were, and goes on")
    void theRestIsCounted() {
        flood(PeerLog.LINES_MAX + 7);
        clock.advance(60, TimeUnit.SECONDS);
        flood(1);

        assertThat(lines()).endsWith("MS-1 7 more of these were not logged", "MS-1 refused peer=1");
    }

    @Test
    @DisplayName("what comes now and then is logged each time")
    void noFlood() {
        for (int minute = 0; minute < 50; minute++) {
            flood(1);
            clock.advance(60, TimeUnit.SECONDS);
        }

        assertThat(lines()).hasSize(50).containsOnly("MS-1 refused peer=1");
    }
}
