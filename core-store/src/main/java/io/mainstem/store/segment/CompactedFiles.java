package io.mainstem.store.segment;

import io.mainstem.store.StoreException;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds a log's compacted files at start and says which files count: of several for the same LSNs the one of the highest
 * generation, since a file gets its final name only when it is whole and durable. Changes nothing but by {@link #tidy}.
 * Thread: opening thread.
 */
final class CompactedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(CompactedFiles.class);
    private static final String DRAFT = ".tmp";

    private final StoreFiles files;
    private final Path logDirectory;
    private final StoreMeta meta;
    private final List<Found> counting = new ArrayList<>();
    private final List<String> superseded = new ArrayList<>();
    private final List<String> unusable = new ArrayList<>();
    private final List<String> renamed = new ArrayList<>();
    private final List<String> drafts = new ArrayList<>();
    private final List<String> segments = new ArrayList<>();

    /** One that counts. */
    record Found(String name, CompactedFile file) {}

    private CompactedFiles(StoreFiles files, Path logDirectory, StoreMeta meta) {
        this.files = files;
        this.logDirectory = logDirectory;
        this.meta = meta;
    }

    /** Looks at all names in the log's folder. */
    static CompactedFiles find(StoreFiles files, Path logDirectory, StoreMeta meta) throws IOException {
        CompactedFiles found = new CompactedFiles(files, logDirectory, meta);
        List<Found> all = new ArrayList<>();
        List<String> unreadable = new ArrayList<>();
        for (String name : files.list(logDirectory)) {
            if (name.endsWith(DRAFT)) {
                found.drafts.add(name);
            } else if (Segment.isFileName(name)) {
                found.segments.add(name);
            } else if (CompactedHeader.isFileName(name)) {
                CompactedFile file = found.read(name);
                if (file == null) {
                    unreadable.add(name);
                } else {
                    all.add(new Found(name, file));
                }
            }
        }
        found.choose(all);
        found.judge(unreadable);
        return found;
    }

    private @Nullable CompactedFile read(String name) throws IOException {
        try (StoreFile file = files.open(logDirectory.resolve(name), OpenMode.READ)) {
            CompactedFile found = CompactedFile.read(file, meta.store());
            if (found != null && !found.header().fileName().equals(name)) {
                renamed.add(name + " was " + found.header().fileName());
            }
            return found;
        }
    }

    private void choose(List<Found> all) {
        all.sort(Comparator.comparing((Found found) -> found.file.header().generation())
                .reversed());
        for (Found found : all) {
            CompactedHeader header = found.file.header();
            if (isSuperseded(header.baseLsn(), header.endLsn(), header.generation())) {
                superseded.add(found.name);
            } else {
                counting.add(found);
            }
        }
        for (String name : List.copyOf(segments)) {
            long base = Segment.baseOf(name);
            if (isSuperseded(base, base + meta.layout().segmentBytes(), 0)) {
                segments.remove(name);
                superseded.add(name);
            }
        }
    }

    private boolean isSuperseded(long base, long end, int generation) {
        return counting.stream().anyMatch(found -> found.file.header().supersedes(base, end, generation));
    }

    /** A file with both headers damaged matters unless another one stands for its LSNs, too. */
    private void judge(List<String> unreadable) {
        for (String name : unreadable) {
            long base = Segment.baseOf(name);
            long end = base + meta.layout().segmentBytes();
            boolean covered = isSuperseded(base, end, CompactedHeader.generationOf(name));
            (covered ? superseded : unusable).add(name);
        }
    }

    /** @throws StoreException MS-0204 if a compacted file that is needed tells nothing any more, or has another's name */
    void requireUsable() {
        if (!renamed.isEmpty()) {
            throw new StoreException(
                    "MS-0204",
                    "A file in " + logDirectory + " has another's name: " + renamed.get(0) + ".",
                    "give each file of the log its own name again, or restore them from a copy; nothing was changed.");
        }
        if (!unusable.isEmpty()) {
            throw new StoreException(
                    "MS-0204",
                    "Both headers of " + logDirectory.resolve(unusable.get(0))
                            + " are damaged or belong to another store.",
                    "restore the file from a copy; 'mainstem store verify' shows what else is damaged.");
        }
    }

    /** Names of needed files that tell nothing any more. */
    List<String> unusable() {
        return List.copyOf(unusable);
    }

    /** The compacted files in use. */
    List<Found> counting() {
        return List.copyOf(counting);
    }

    /** Names of the files in use that are as they were written, ascending. */
    List<String> segments() {
        return List.copyOf(segments);
    }

    /** Names of files that the next start removes. */
    List<String> leftOver() {
        List<String> names = new ArrayList<>(superseded);
        names.addAll(drafts);
        return names;
    }

    /** Removes what a crash left behind. */
    void tidy() throws IOException {
        for (String name : leftOver()) {
            files.delete(logDirectory.resolve(name));
        }
        if (!leftOver().isEmpty()) {
            files.syncDirectory(logDirectory);
        }
        for (Found found : counting) {
            if (found.file.rebuilt() != null) {
                LOG.warn(
                        "MS-0218 file={} index of records made anew, {} found: {}; fix: check the disk",
                        logDirectory.resolve(found.name),
                        found.file.survivors().size(),
                        found.file.rebuilt());
            }
        }
    }
}
