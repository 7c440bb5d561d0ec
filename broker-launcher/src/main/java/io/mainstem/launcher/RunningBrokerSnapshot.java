package io.mainstem.launcher;

import io.mainstem.launcher.lifecycle.ExitCode;
import io.mainstem.launcher.lifecycle.SnapshotRequests;
import io.mainstem.launcher.lifecycle.StartFailure;
import io.mainstem.store.StoreConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * A snapshot that a running broker is asked for, and waited for as long as that broker lives: its process is there, it has the
 * store's lock, and its answer changes each second. Thread: that of the command.
 */
final class RunningBrokerSnapshot {
    private static final long POLL_MS = 200;
    private static final long PROGRESS_MS = 5_000;
    /** A broker that recovers a large log looks at requests only afterwards. */
    private static final Duration SILENCE_MAX = Duration.ofSeconds(60);

    private final Path data;
    private final Path lockFile;
    private final PrintWriter err;

    RunningBrokerSnapshot(Path data, StoreConfig store, PrintWriter err) {
        this.data = data;
        this.lockFile = store.directory().resolve("LOCK");
        this.err = err;
    }

    /** @throws StartFailure MS-0125 if the broker cannot make it, ends, is started anew, or needs longer than that */
    void make(Path target, long timeoutSeconds) {
        String id = UUID.randomUUID().toString();
        try {
            String holder = Files.readString(lockFile).strip();
            Path draft = data.resolve(SnapshotRequests.REQUEST + "." + id);
            Files.writeString(draft, id + "\n" + target + "\n");
            Files.move(draft, data.resolve(SnapshotRequests.REQUEST), StandardCopyOption.ATOMIC_MOVE);
            await(id, holder, Duration.ofSeconds(timeoutSeconds));
        } catch (IOException e) {
            throw failed("the data folder " + data + " cannot be read or written: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("the command was interrupted");
        }
    }

    private void await(String id, String holder, Duration timeout) throws IOException, InterruptedException {
        Path answer = data.resolve(SnapshotRequests.ANSWER);
        List<String> heard = List.of();
        long heardAtMs = 0;
        for (long waitedMs = 0; waitedMs < timeout.toMillis(); waitedMs += POLL_MS) {
            List<String> lines = Files.exists(answer) ? Files.readAllLines(answer) : List.of();
            boolean ours = lines.size() >= 2 && lines.get(0).equals(id);
            if (ours && !lines.get(1).equals(SnapshotRequests.WORKING)) {
                Files.deleteIfExists(answer);
                requireDone(lines);
                return;
            }
            if (ours && !lines.equals(heard)) {
                heard = lines;
                heardAtMs = waitedMs;
            }
            requireAlive(holder, Duration.ofMillis(waitedMs - heardAtMs));
            if (waitedMs > 0 && waitedMs % PROGRESS_MS == 0) {
                err.println("the broker is at work since " + waitedMs / 1000 + " s");
            }
            Thread.sleep(POLL_MS);
        }
        throw failed("the broker has not answered within " + timeout.toSeconds() + " s");
    }

    private void requireAlive(String holder, Duration silence) throws IOException {
        // A broker in another container has a pid that says nothing here; then only its silence tells.
        boolean known = holder.matches("[0-9]{1,18}") && !holder.equals("1");
        String now = Files.exists(lockFile) ? Files.readString(lockFile).strip() : "";
        if (!now.equals(holder)) {
            throw failed("the broker with pid " + holder + " ended, and pid " + now + " took its place");
        }
        if (silence.compareTo(SILENCE_MAX) > 0 || (known && gone(Long.parseLong(holder)) && silence.toSeconds() > 2)) {
            throw failed("the broker with pid " + holder + " does not live any more, or hangs");
        }
    }

    private static boolean gone(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty();
    }

    private static void requireDone(List<String> lines) {
        if (!lines.get(1).equals("done")) {
            throw failed(lines.size() > 2 ? lines.get(2) : "no reason given");
        }
    }

    /** With the words of all commands that make snapshots. */
    static StartFailure failed(String reason) {
        return new StartFailure(
                ExitCode.LOG_IO,
                "MS-0125",
                "The running broker could not make the snapshot: " + reason + ".",
                "see the broker's log; remove what was made, then try again.",
                null);
    }
}
