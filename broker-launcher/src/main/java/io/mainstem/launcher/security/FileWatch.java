package io.mainstem.launcher.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that files were changed, by looking at them once a second: that also works for what is mounted into a container
 * and for links that are pointed elsewhere. Thread: any; reactions run on the watch's own thread.
 */
public final class FileWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FileWatch.class);
    private static final int INTERVAL_MS = 1_000;

    private final List<Watched> watched = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread watch = new Thread(task, "mainstem-file-watch");
        watch.setDaemon(true);
        return watch;
    });

    /** Starts looking. */
    public FileWatch() {
        var unused = thread.scheduleWithFixedDelay(this::look, INTERVAL_MS, INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    /** Calls {@code reaction} after every change of any of the files, from what they are now on. */
    public void add(List<Path> files, Runnable reaction) {
        watched.add(new Watched(List.copyOf(files), reaction));
    }

    /** Calls {@code task} once a second; a task that throws is not called again. */
    public void eachSecond(Runnable task) {
        var unused = thread.scheduleWithFixedDelay(task, INTERVAL_MS, INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        watched.forEach(Watched::look);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private static final class Watched {
        private final List<Path> files;
        private final Runnable reaction;
        private String seen;

        Watched(List<Path> files, Runnable reaction) {
            this.files = files;
            this.reaction = reaction;
            this.seen = state(files);
        }

        void look() {
            String now = state(files);
            if (!now.equals(seen)) {
                seen = now;
                try {
                    reaction.run();
                } catch (RuntimeException e) {
                    LOG.warn(
                            "MS-0118 changed files not taken files={} reason=\"{}\" fix: correct them; what was there"
                                    + " before stays in force",
                            files,
                            e.toString());
                }
            }
        }

        private static String state(List<Path> files) {
            List<String> states = new ArrayList<>(files.size());
            for (Path file : files) {
                try {
                    BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
                    states.add(now.fileKey() + "/" + now.lastModifiedTime() + "/" + now.size());
                } catch (IOException absent) {
                    states.add("absent");
                }
            }
            return states.toString();
        }
    }
}
