package io.mainstem.jms.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which threads call listeners (Jakarta Messaging 6.2.9: a session is served by one at a time). */
final class SessionThreadsTest {
    private static final long NEVER_LATE_MS = 600_000;

    private final List<SessionThreads> all = new ArrayList<>();
    private final Set<Thread> used = ConcurrentHashMap.newKeySet();

    private SessionThreads threads(long lateMs) {
        SessionThreads made = new SessionThreads("test", lateMs);
        all.add(made);
        return made;
    }

    @AfterEach
    void end() {
        all.forEach(SessionThreads::end);
    }

    private static void await(CountDownLatch done) {
        try {
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("Sessions that have messages at the same time share a thread")
    void sessionsShareAThread() throws Exception {
        SessionThreads threads = threads(NEVER_LATE_MS);
        CountDownLatch ready = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(100);

        for (int n = 0; n < 100; n++) {
            threads.execute(() -> {
                await(ready); // The first one, until all are there.
                used.add(Thread.currentThread());
                done.countDown();
            });
        }
        ready.countDown();

        await(done);
        assertThat(used).hasSize(1);
    }

    @Test
    @DisplayName("A listener that blocks holds up no other session: each gets a thread if it must")
    void blockedOnesHoldUpNobody() throws Exception {
        SessionThreads threads = threads(1);
        CountDownLatch together = new CountDownLatch(20);
        CountDownLatch done = new CountDownLatch(20);

        for (int n = 0; n < 20; n++) {
            threads.execute(() -> {
                used.add(Thread.currentThread());
                together.countDown();
                await(together); // Returns when all twenty are here at the same time.
                done.countDown();
            });
        }

        await(done);
        assertThat(used).hasSize(20);
    }

    @Test
    @DisplayName("A session that comes while another's listener blocks is served, too")
    void aLateComerIsServed() throws Exception {
        SessionThreads threads = threads(1);
        CountDownLatch blocking = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch served = new CountDownLatch(1);
        threads.execute(() -> {
            blocking.countDown();
            await(release);
        });
        await(blocking);

        threads.execute(served::countDown);

        await(served);
        release.countDown();
    }

    @Test
    @DisplayName("No session is lost between threads that come and go")
    void noneIsLost() throws Exception {
        SessionThreads threads = threads(1);
        CountDownLatch done = new CountDownLatch(4 * 5_000);
        for (int n = 0; n < 4; n++) {
            Thread transport = new Thread(() -> {
                for (int session = 0; session < 5_000; session++) {
                    CountDownLatch run = new CountDownLatch(1);
                    threads.execute(() -> {
                        done.countDown();
                        run.countDown();
                    });
                    if (session % 10 == 0) {
                        await(run); // Threads find nothing more now and then.
                    }
                }
            });
            transport.start();
        }

        await(done);
    }

    @Test
    @DisplayName(
            "What a listener leaves behind on its thread does not reach the next session: neither a failure nor an interrupt")
    void nothingIsLeftBehind() throws Exception {
        SessionThreads threads = threads(NEVER_LATE_MS);
        CountDownLatch done = new CountDownLatch(1);
        List<Boolean> interrupted = new ArrayList<>();

        threads.execute(() -> {
            Thread.currentThread().interrupt();
            throw new AssertionError("of a test");
        });
        threads.execute(() -> {
            interrupted.add(Thread.currentThread().isInterrupted());
            done.countDown();
        });

        await(done);
        assertThat(interrupted).containsExactly(false);
    }

    @Test
    @DisplayName("At the end of the connection its threads end, when they have done what is there")
    void threadsEnd() throws Exception {
        SessionThreads threads = threads(1);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch last = new CountDownLatch(1);
        threads.execute(() -> {
            used.add(Thread.currentThread());
            begun.countDown();
            await(release);
        });
        await(begun);
        threads.execute(() -> {
            used.add(Thread.currentThread());
            last.countDown();
        });

        threads.end();
        release.countDown();

        await(last);
        for (Thread thread : used) {
            thread.join(30_000);
            assertThat(thread.isAlive()).isFalse();
        }
    }
}
