package io.mainstem.store.checkpoint;

import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.codec.MalformedException;
import io.mainstem.store.files.FileCopy;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of a store: {@code ckpt/ckpt-<replayLsn, 20 digits>-<sequence, 20 digits>.ckp}, the two newest are
 * kept. They are data: once segments have been deleted, the log alone no longer tells the state.
 *
 * <p>Thread: opened and loaded at start; {@link #write} on one background thread, one call at a time; {@link #newest}
 * and {@link #older} on any.
 */
public final class Checkpoints {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    private static final Pattern NAME = Pattern.compile("ckpt-(\\d{20})-(\\d{20})\\.ckp");

    private final StoreFiles files;
    private final Path directory;
    /** Oldest first; never changed, another takes its place. */
    private volatile List<ImageHeader> kept = List.of();

    private long lastSequence = 1;
    private volatile boolean newestDamaged;

    private Checkpoints(StoreConfig config, StoreFiles files) {
        this.files = files;
        this.directory = directory(config);
    }

    static Path directory(StoreConfig config) {
        return config.directory().resolve("ckpt");
    }

    /**
     * Finds the checkpoints on disk and checks which are sound.
     *
     * @throws StoreException if there are some but none is sound, or one was written by a later build
     */
    public static Checkpoints open(StoreConfig config, StoreFiles files) throws IOException {
        Checkpoints checkpoints = new Checkpoints(config, files);
        files.createDirectories(checkpoints.directory);
        List<String> problems = new ArrayList<>();
        List<ImageHeader> sound = new ArrayList<>();
        for (Path path : paths(config, files)) {
            checkpoints.lastSequence = Math.max(checkpoints.lastSequence, sequence(path));
            try {
                sound.add(verify(files, path));
            } catch (DamagedImageException e) {
                problems.add(path + " " + e.getMessage());
            } catch (NewerImageException e) {
                throw new StoreException(
                        "MS-0222", "checkpoint " + path + " " + e.getMessage() + ".", "start the newer version.", e);
            }
        }
        checkpoints.kept = List.copyOf(sound);
        checkpoints.judge(problems);
        return checkpoints;
    }

    private void judge(List<String> problems) {
        if (problems.isEmpty()) {
            return;
        }
        if (kept.isEmpty()) {
            throw new StoreException(
                    "MS-0220",
                    "no checkpoint is readable: " + String.join("; ", problems) + ".",
                    "restore the data folder from a backup; the log alone does not tell the state any more.");
        }
        LOG.warn(
                "MS-0221 checkpoint-damaged problem=\"{}\" used={} fix: check the disk; nothing is lost",
                String.join("; ", problems),
                kept.get(kept.size() - 1));
    }

    /** All checkpoint files, oldest first. */
    public static List<Path> paths(StoreConfig config, StoreFiles files) throws IOException {
        List<Path> paths = new ArrayList<>();
        for (String name : files.list(directory(config))) {
            if (NAME.matcher(name).matches()) {
                paths.add(directory(config).resolve(name));
            }
        }
        return paths;
    }

    private static long sequence(Path path) {
        Matcher matcher = NAME.matcher(String.valueOf(path.getFileName()));
        return matcher.matches() ? Long.parseLong(matcher.group(2)) : 0;
    }

    /**
     * Checks a checkpoint file from end to end.
     *
     * @throws IOException if it is damaged, cannot be read or was written by a later build
     */
    public static ImageHeader verify(StoreFiles files, Path path) throws IOException {
        try (StoreFile file = files.open(path, OpenMode.READ)) {
            ImageReader reader = ImageReader.open(file);
            reader.verify();
            ImageHeader header = reader.header();
            if (!name(header).equals(String.valueOf(path.getFileName()))) {
                throw new DamagedImageException("is another one's image: it was " + name(header));
            }
            return header;
        }
    }

    /** From where the newest sound checkpoint on disk has the log read, 0 if there is none. Changes nothing. */
    public static long replayLsn(StoreConfig config, StoreFiles files) throws IOException {
        long lsn = 0;
        for (Path path : paths(config, files)) {
            try {
                lsn = Math.max(lsn, verify(files, path).replayLsn());
            } catch (DamagedImageException | NewerImageException e) {
                LOG.debug("{} tells nothing", path, e);
            }
        }
        return lsn;
    }

    /** The newest sound checkpoint, or null if there is none. */
    public @Nullable ImageHeader newest() {
        List<ImageHeader> now = kept;
        return now.isEmpty() ? null : now.get(now.size() - 1);
    }

    /** Copies the kept checkpoints into another store's folder. On the thread of {@link #write}, which must not run. */
    public void copyTo(Path storeDirectory) throws IOException {
        Path target = storeDirectory.resolve("ckpt");
        for (ImageHeader header : kept) {
            Path path = path(header);
            new FileCopy(files).linkOrCopy(path, target.resolve(String.valueOf(path.getFileName())));
        }
        files.syncDirectory(target);
    }

    /** The one before it, or null. */
    public @Nullable ImageHeader older() {
        List<ImageHeader> now = kept;
        return now.size() < 2 ? null : now.get(now.size() - 2);
    }

    /** Sequence for the next {@link #write}. */
    public long nextSequence() {
        return lastSequence + 1;
    }

    /** Reads the newest checkpoint; nothing if there is none. */
    public void load(ImageVisitor visitor) throws IOException {
        ImageHeader newest = newest();
        if (newest != null) {
            load(files, path(newest), visitor);
        }
    }

    /**
     * Reads one checkpoint.
     *
     * @throws IOException if it is damaged or cannot be read
     * @throws StoreException MS-0223 if it is sound and cannot be understood
     */
    public static void load(StoreFiles files, Path path, ImageVisitor visitor) throws IOException {
        try (StoreFile file = files.open(path, OpenMode.READ)) {
            ImageReader reader = ImageReader.open(file);
            for (ImageReader.Item item = reader.next(); item != null; item = reader.next()) {
                switch (item.kind()) {
                    case ImageFormat.ITEM_DROPPED -> visitor.dropped(item.value());
                    case ImageFormat.ITEM_LANE -> visitor.lane(item.laneId(), item.value());
                    default -> visitor.meta(item.key(), item.value());
                }
            }
        } catch (MalformedException e) {
            throw new StoreException(
                    "MS-0223",
                    "checkpoint " + path + " is sound but cannot be understood: " + e.getMessage() + ".",
                    "start the version that wrote it; keep the data folder for a report.",
                    e);
        }
    }

    /**
     * Writes the newest image with changes laid over it, makes it durable, and removes all but the two newest.
     *
     * @param goneLane lanes of dropped queues, to be left out
     * @param whole the changes are all there is: the newest image is not looked at
     * @throws IOException nothing has happened then: the checkpoint before is still the newest
     */
    public void write(ImageHeader header, ImageChanges changes, LongPredicate goneLane, boolean whole)
            throws IOException {
        lastSequence = Math.max(lastSequence, header.sequence());
        Path target = path(header);
        Path unfinished = target.resolveSibling(target.getFileName() + ".tmp");
        files.delete(unfinished);
        if (newestDamaged && !whole) {
            throw new IOException(newest() + " has been damaged since it was written, so changes of it tell nothing");
        }
        try (StoreFile file = files.open(unfinished, OpenMode.CREATE_NEW)) {
            ImageWriter writer = new ImageWriter(file);
            merge(new ImageMerge(changes, writer, goneLane), whole);
            writer.finish(header);
        } catch (DamagedImageException e) {
            newestDamaged = true;
            files.delete(unfinished);
            throw e;
        } catch (IOException e) {
            files.delete(unfinished);
            throw e;
        }
        files.renameDurably(unfinished, target);
        List<ImageHeader> sound = new ArrayList<>(kept);
        if (newestDamaged) {
            sound.remove(sound.size() - 1);
        }
        sound.add(header);
        kept = List.copyOf(sound.subList(Math.max(0, sound.size() - 2), sound.size()));
        newestDamaged = false;
        removeOthers();
    }

    /**
     * Reads the kept checkpoints again. On the thread of {@link #write}.
     *
     * @return what is wrong with one, or null
     */
    public @Nullable String scrub() {
        String problem = null;
        for (ImageHeader header : kept) {
            try {
                verify(files, path(header));
            } catch (IOException e) {
                problem = path(header) + " " + e.getMessage();
                newestDamaged |= header.equals(newest());
            }
        }
        return problem;
    }

    /** True if the newest one was found damaged since it was written: the next {@link #write} needs the whole state. */
    public boolean newestDamaged() {
        return newestDamaged;
    }

    private void merge(ImageMerge merge, boolean whole) throws IOException {
        ImageHeader before = newest();
        if (before == null || whole) {
            merge.run(null);
            return;
        }
        try (StoreFile file = files.open(path(before), OpenMode.READ)) {
            merge.run(ImageReader.open(file));
        }
    }

    private void removeOthers() throws IOException {
        List<Path> wanted = new ArrayList<>();
        kept.forEach(header -> wanted.add(path(header)));
        boolean removed = false;
        for (String name : files.list(directory)) {
            if (name.startsWith("ckpt-") && !wanted.contains(directory.resolve(name))) {
                files.delete(directory.resolve(name));
                removed = true;
            }
        }
        if (removed) {
            files.syncDirectory(directory);
        }
    }

    private Path path(ImageHeader header) {
        return directory.resolve(name(header));
    }

    private static String name(ImageHeader header) {
        return String.format("ckpt-%020d-%020d.ckp", header.replayLsn(), header.sequence());
    }
}
