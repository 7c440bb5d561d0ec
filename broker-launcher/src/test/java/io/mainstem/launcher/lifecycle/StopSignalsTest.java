package io.mainstem.launcher.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.launcher.ChildJvm;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class StopSignalsTest {
    @Test
    void theFirstSignalAsksForAStopAndTheSecondEndsTheProcessAtOnce() throws Exception {
        try (ChildJvm child = ChildJvm.run(NeverDone.class)) {
            child.awaitLine("running");
            child.terminate();
            child.awaitLine("stopping");

            child.terminate();

            assertThat(child.exitCode()).isEqualTo(128 + 15);
        }
    }

    /** A process whose clean stop never ends. */
    static final class NeverDone {
        private NeverDone() {}

        public static void main(String[] arguments) throws InterruptedException {
            CountDownLatch never = new CountDownLatch(1);
            StopSignals.install(
                    () -> {
                        System.out.println("stopping");
                        System.out.flush();
                        try {
                            never.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    Runtime.getRuntime()::halt);
            System.out.println("running");
            System.out.flush();
            never.await();
        }
    }
}
