package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.JMSContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the start screen offers for copying works. */
final class StartScreenTest {
    private static final String MARK = "try it";

    @TempDir
    Path folder;

    @Test
    void theLineToCopySendsAFirstMessage() throws Exception {
        SharedBroker.assumeOurs();
        ForeignClient.PROTON.require();
        try (BrokerProcess broker = BrokerProcess.start(folder.resolve("data"))) {
            String shown = broker.output()
                    .lines()
                    .filter(line -> line.contains(MARK))
                    .findFirst()
                    .orElseThrow();
            String command = shown.substring(shown.indexOf(MARK) + MARK.length());

            Process sender = new ProcessBuilder("bash", "-c", command)
                    .redirectErrorStream(true)
                    .start();
            String output = new String(sender.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(sender.waitFor()).as(output).isZero();
            try (JMSContext context = Jms.context(broker.address())) {
                assertThat(Jms.receiveBodies(context.createConsumer(context.createQueue("hello")), 1))
                        .isEqualTo(List.of("hello"));
            }
        }
    }
}
