package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.RecordType;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.segment.CommitLog.LogRecord;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log with its threads on a real disk. */
final class SegmentedLogTest {
    @TempDir
    Path folder;

    private final Semaphore wakes = new Semaphore(0);
    private final List<RecordGroup> durable = new ArrayList<>();
    private final List<StoreState> failed = new ArrayList<>();
    private final List<List<LogRecord>> replayed = new ArrayList<>();
    private SegmentedLog log;

    @AfterEach
    void leave() {
        if (log != null) {
            log.abandon();
        }
    }

    private StoreConfig config() {
        return new StoreConfig(
                folder, 64 << 10, 1 << 20, 512, 2, 1 << 20, 1 << 20, 1000, 0, 1, 1000, StoreUpkeep.defaults());
    }

    private void open(long replayFrom, long vouched) {
        replayed.clear();
        log = SegmentedLog.open(new NioFiles(), config(), InstantSource.system(), replayFrom, vouched, replayed::add);
        log.attach(wakes::release);
    }

    private void drain(int groups) throws InterruptedException {
        int wanted = durable.size() + failed.size() + groups;
        while (durable.size() + failed.size() < wanted) {
            log.drain(collector(), 1000);
            if (durable.size() + failed.size() < wanted) {
                assertThat(wakes.tryAcquire(60, TimeUnit.SECONDS)).as("woken").isTrue();
                wakes.drainPermits();
            }
        }
    }

    private CommitLog.DrainedGroups collector() {
        return new CommitLog.DrainedGroups() {
            @Override
            public void durable(RecordGroup group) {
                durable.add(group);
            }

            @Override
            public void failed(RecordGroup group, StoreState why) {
                failed.add(why);
            }
        };
    }

    private List<TestGroup> messages(int count, int bytes) {
        List<TestGroup> groups = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            groups.add(TestGroup.message(i, bytes, Durability.SYNC));
        }
        return groups;
    }

    @Test
    @DisplayName("[L-3] a group is handed over once it is durable, in order, with the LSNs of its records")
    void groupsAreDurableInOrder() throws Exception {
        open(0, 0);
        List<TestGroup> groups = messages(500, 900);

        log.submitAll(groups);
        drain(500);

        assertThat(durable).containsExactlyElementsOf(groups);
        assertThat(groups)
                .isSortedAccordingTo(
                        Comparator.comparingLong(g -> g.frames().get(0).lsn()));
        assertThat(log.syncedLsn()).isEqualTo(log.writtenLsn()).isEqualTo(log.drainedLsn());
    }

    @Test
    @DisplayName("[L-4] a record is read back as it was written")
    void recordsAreReadBack() throws Exception {
        open(0, 0);
        TestGroup group = TestGroup.message(7, 5000, Durability.SYNC);
        log.submit(group);
        drain(1);

        LogRecord record =
                log.read(group.frames().get(0).lsn(), 0).toCompletableFuture().join();

        assertThat(record.type()).isEqualTo(RecordType.MSG.code());
        assertThat(record.body()).isEqualTo(TestGroup.bodyOf(group.frames().get(0)));
        assertThatThrownBy(() ->
                        log.read(record.lsn() + 8, 100).toCompletableFuture().join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .hasMessageContaining("MS-0206")
                .hasMessageContaining("LSN " + (record.lsn() + 8))
                .hasMessageContaining(".log");
        assertThatThrownBy(() -> log.read(1 << 30, 0).toCompletableFuture().join())
                .cause()
                .hasMessageContaining("MS-0207");
    }

    @Test
    @DisplayName("[L-2] a message above the record limit is stored in parts, listed by its MSG record")
    void largeMessagesAreStoredInParts() throws Exception {
        open(0, 0);
        TestGroup group = TestGroup.message(7, 100_000, Durability.SYNC);
        log.submit(group);
        drain(1);

        Frame frame = group.frames().get(0);
        LogRecord listing = log.read(frame.lsn(), (int) frame.storedBodyBytes())
                .toCompletableFuture()
                .join();
        ByteBuffer body = ByteBuffer.wrap(listing.body()).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer rest = ByteBuffer.allocate(100_000);
        int parts = body.getInt();
        for (int i = 0; i < parts; i++) {
            LogRecord part = log.read(body.getLong(), body.getInt())
                    .toCompletableFuture()
                    .join();
            assertThat(part.lsn()).isEqualTo(frame.parts().get(i).lsn()).isLessThan(frame.lsn());
            rest.put(part.body());
        }

        assertThat(listing.isLarge()).isTrue();
        assertThat(listing.body()).hasSize((int) frame.storedBodyBytes());
        assertThat(parts).isEqualTo(7);
        assertThat(rest.array()).isEqualTo(frame.body().get(1));
        assertThat(body.remaining()).isEqualTo(frame.body().get(0).length);
    }

    @Test
    @DisplayName("[L-11] after kill -9 everything from the checkpoint on is replayed")
    void everythingIsReplayedAfterAKill() throws Exception {
        open(0, 0);
        log.submitAll(messages(100, 900));
        drain(100);
        log.abandon();

        open(0, 0);

        assertThat(replayed).hasSize(100);
        assertThat(log.report().clean()).isFalse();
    }

    @Test
    @DisplayName("[L-11] a clean close lets the next start scan nothing")
    void aCleanCloseScansNothing() throws Exception {
        open(0, 0);
        log.submitAll(messages(100, 900));
        log.close();
        drain(100);
        long end = log.drainedLsn();

        open(end, end);

        assertThat(log.report().clean()).isTrue();
        assertThat(log.report().batches()).isZero();
        assertThat(replayed).isEmpty();
        log.submit(TestGroup.message(1, 10, Durability.SYNC));
        drain(1);
    }

    @Test
    @DisplayName("[L-11] a second opener is refused and told the pid that holds the store")
    void aSecondOpenerIsRefused() throws Exception {
        try (StoreFolder first = StoreFolder.take(new NioFiles(), config())) {
            assertThat(first.config()).isEqualTo(config());
            assertThatThrownBy(() -> StoreFolder.take(new NioFiles(), config()))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("MS-0201")
                    .hasMessageContaining("pid " + ProcessHandle.current().pid());
        }
        StoreFolder.take(new NioFiles(), config()).close();
    }

    @Test
    @DisplayName("[L-7] a sealed segment is recycled: its file serves again, its LSNs are gone")
    void sealedSegmentsAreRecycled() throws Exception {
        open(0, 0);
        for (int round = 0; round < 30; round++) {
            log.submitAll(messages(50, 900));
            drain(50);
            for (SegmentInfo segment : log.segments()) {
                if (segment.sealed() && segment.endLsn() <= log.drainedLsn()) {
                    assertThat(log.recycle(segment.baseLsn())).isTrue();
                }
            }
        }

        assertThat(log.startLsn()).isGreaterThan(10L * (64 << 10));
        // The keeper comes to it in the background.
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (logFiles() >= 8 && System.nanoTime() < end) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(logFiles()).isLessThan(8);
        assertThat(log.recycle(log.segments().get(log.segments().size() - 1).baseLsn()))
                .as("the active segment")
                .isFalse();
        assertThatThrownBy(() -> log.read(1000, 0).toCompletableFuture().join()).hasMessageContaining("MS-0207");
    }

    private int logFiles() throws IOException {
        return new NioFiles().list(folder.resolve("log")).size();
    }

    @Test
    @DisplayName("[L-3] groups that ask only for WRITE are done when written and synced soon after")
    void writtenGroupsAreSyncedInTheBackground() throws Exception {
        open(0, 0);
        log.submit(TestGroup.settle(1, Durability.WRITE));
        drain(1);

        while (log.syncedLsn() < log.writtenLsn()) {
            assertThat(wakes.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    @DisplayName("[ADR 0051] deferred groups are written when they are asked for")
    void deferredGroupsAreWrittenOnDemand() throws Exception {
        open(0, 0);
        log.submit(TestGroup.settle(1, Durability.DEFERRED));
        log.submit(TestGroup.settle(2, Durability.DEFERRED));

        log.writeDeferred();
        drain(2);

        assertThat(durable).hasSize(2);
    }

    @Test
    @DisplayName("[ADR 0051] a close leaves no deferred group behind")
    void closeWritesDeferredGroups() throws Exception {
        open(0, 0);
        log.submit(TestGroup.settle(1, Durability.DEFERRED));

        log.close();
        drain(1);

        assertThat(durable).hasSize(1);
        open(0, 0);
        assertThat(replayed).as("the group alone, epochs are not told").hasSize(1);
    }

    @Test
    @DisplayName("a group that can never be written is refused at once")
    void impossibleGroupsAreRefused() {
        open(0, 0);
        Frame frame = new Frame(RecordType.META, 0, List.of(new byte[2 << 20]));

        assertThatThrownBy(() -> log.submit(new TestGroup(1, List.of(frame), Durability.SYNC)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: <=");
    }

    @Test
    @DisplayName("what is submitted after the close fails as closed")
    void submittingAfterCloseFails() throws Exception {
        open(0, 0);
        log.close();

        log.submit(TestGroup.message(1, 10, Durability.SYNC));
        drain(1);

        assertThat(failed).containsExactly(StoreState.CLOSED);
    }

    @Test
    @DisplayName("publishers are held back while too many bytes are in flight, and told when that ends")
    void bytesInFlightAreBounded() throws Exception {
        open(0, 0);
        log.submitAll(messages(20, 60_000));
        assertThat(log.writable()).isFalse();
        Semaphore told = new Semaphore(0);
        log.onWritable(told::release);
        assertThat(told.availablePermits()).isZero();

        drain(20);

        assertThat(told.availablePermits()).isEqualTo(1);
        assertThat(log.writable()).isTrue();
    }
}
