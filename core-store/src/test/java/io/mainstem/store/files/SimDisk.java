package io.mainstem.store.files;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A disk in memory that behaves as badly as a real one may.
 *
 * <p>What was written is seen by readers at once, and survives {@link #processDeath}; what survives {@link #powerCut} is
 * what was synced, plus a random choice among everything else: each unsynced 512-byte sector is there or not on its
 * own, so multi-sector writes tear and reorder; directory changes that were not synced are kept up to a random point.
 *
 * <p>Thread: any; one lock. Faults are set between operations.
 */
public final class SimDisk implements StoreFiles {
    private final Map<Path, SimFile> names = new TreeMap<>();
    private final Map<Path, SimFile> durableNames = new TreeMap<>();
    private final Map<Path, List<NameChange>> unsyncedNames = new HashMap<>();
    private final Map<Path, String> locks = new HashMap<>();
    private final SimFaults faults = new SimFaults();
    private int incarnation;

    /** The switches for misbehaviour. */
    public SimFaults faults() {
        return faults;
    }

    /**
     * The machine loses power: open files and locks are gone, the disk keeps what was synced and a random part of the
     * rest.
     */
    public synchronized void powerCut(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (List<NameChange> changes : unsyncedNames.values()) {
            int kept = random.nextInt(changes.size() + 1);
            changes.subList(0, kept).forEach(change -> change.applyTo(durableNames));
        }
        unsyncedNames.clear();
        names.clear();
        names.putAll(durableNames);
        names.values().stream().distinct().forEach(file -> file.powerCut(random));
        processDeath();
    }

    /** The process dies as with {@code kill -9}: handles and locks go, the page cache stays. */
    public synchronized void processDeath() {
        incarnation++;
        locks.clear();
        faults.clear();
    }

    /** Everything is written back, as after a long quiet time. */
    public synchronized void settle() {
        unsyncedNames.values().forEach(changes -> changes.forEach(change -> change.applyTo(durableNames)));
        unsyncedNames.clear();
        names.values().forEach(SimFile::settle);
    }

    /** A disk with the same settled contents; locks, faults and open files are not copied. */
    public synchronized SimDisk copy() {
        settle();
        SimDisk copy = new SimDisk();
        names.forEach((path, file) -> {
            SimFile twin = new SimFile();
            twin.replace(file.contents());
            copy.names.put(path, twin);
            copy.durableNames.put(path, twin);
        });
        return copy;
    }

    /** Changes one bit on the medium and in the cache. */
    public synchronized void flipBit(Path path, long position, int bit) {
        file(path).flip((int) position, bit);
    }

    /** Cuts a file, on the medium and in the cache. */
    public synchronized void truncate(Path path, long size) {
        file(path).truncate((int) size);
    }

    /** From now on only so many bytes are free. */
    public synchronized void fillUp(long bytesLeft) {
        faults.capacityBytes(usedBytes() + bytesLeft);
    }

    /** A copy of what a reader would see. */
    public synchronized byte[] contents(Path path) {
        return file(path).contents();
    }

    /** Replaces a file's contents, durably. */
    public synchronized void replace(Path path, byte[] contents) {
        file(path).replace(contents);
    }

    /** A file with these contents, durably, whether there was one or not. */
    public synchronized void put(Path path, byte[] contents) {
        SimFile file = new SimFile();
        file.replace(contents);
        names.put(path, file);
        durableNames.put(path, file);
        forgetChanges(path);
    }

    /** Loses a file, durably. */
    public synchronized void lose(Path path) {
        names.remove(path);
        durableNames.remove(path);
        forgetChanges(path);
    }

    /** What becomes of the name is settled, whatever was on its way. */
    private void forgetChanges(Path path) {
        unsyncedNames.values().forEach(changes -> changes.replaceAll(change -> change.without(path)));
    }

    private SimFile file(Path path) {
        SimFile file = names.get(path);
        if (file == null) {
            throw new IllegalArgumentException("no such file: " + path);
        }
        return file;
    }

    @Override
    public synchronized StoreFile open(Path path, OpenMode mode) throws IOException {
        SimFile file = names.get(path);
        if (mode == OpenMode.CREATE_NEW) {
            if (file != null) {
                throw new FileAlreadyExistsException(path.toString());
            }
            faults.beforeMetadata();
            file = new SimFile();
            names.put(path, file);
            changed(path, new NameChange(path, file));
        } else if (file == null) {
            throw new NoSuchFileException(path.toString());
        }
        return new SimHandle(this, file, incarnation);
    }

    @Override
    public synchronized void renameDurably(Path from, Path to) throws IOException {
        SimFile file = names.get(from);
        if (file == null) {
            throw new NoSuchFileException(from.toString());
        }
        faults.beforeMetadata();
        names.remove(from);
        names.put(to, file);
        // A rename between directories is one journal entry; it is lost or kept as a whole.
        changed(to, new NameChange(from, null, to, file));
        syncDirectory(directoryOf(to));
        syncDirectory(directoryOf(from));
    }

    @Override
    public synchronized void link(Path existing, Path name) throws IOException {
        SimFile file = names.get(existing);
        if (file == null) {
            throw new NoSuchFileException(existing.toString());
        }
        faults.beforeMetadata();
        names.put(name, file);
        changed(name, new NameChange(name, file));
    }

    @Override
    public synchronized boolean shared(Path path) {
        SimFile file = names.get(path);
        return names.values().stream().filter(other -> other == file).count() > 1;
    }

    @Override
    public synchronized void delete(Path path) throws IOException {
        faults.beforeMetadata();
        if (names.remove(path) != null) {
            changed(path, new NameChange(path, null));
        }
    }

    @Override
    public synchronized void syncDirectory(Path directory) throws IOException {
        faults.beforeMetadata();
        List<NameChange> changes = unsyncedNames.remove(directory);
        if (changes != null) {
            changes.forEach(change -> change.applyTo(durableNames));
        }
    }

    private void changed(Path path, NameChange change) {
        unsyncedNames
                .computeIfAbsent(directoryOf(path), directory -> new ArrayList<>())
                .add(change);
    }

    @Override
    public synchronized Closeable lock(Path path, String holder) throws IOException {
        String held = locks.get(path);
        if (held != null) {
            throw new LockHeldException(path, held);
        }
        locks.put(path, holder);
        int mine = incarnation;
        return () -> {
            synchronized (this) {
                if (mine == incarnation) {
                    locks.remove(path);
                }
            }
        };
    }

    @Override
    public void createDirectories(Path directory) {
        // Directories exist as soon as a file is in them.
    }

    @Override
    public synchronized boolean exists(Path path) {
        return names.containsKey(path);
    }

    @Override
    public synchronized List<String> list(Path directory) {
        List<String> found = new ArrayList<>();
        for (Path path : names.keySet()) {
            if (directory.equals(path.getParent())) {
                found.add(String.valueOf(path.getFileName()));
            }
        }
        return found.stream().sorted().toList();
    }

    @Override
    public synchronized long usableBytes(Path path) {
        return Math.max(0, faults.capacityBytes() - usedBytes());
    }

    /** Bytes in all files. */
    synchronized long usedBytes() {
        long used = 0;
        for (SimFile file : names.values()) {
            used += file.size();
        }
        return used;
    }

    boolean alive(int handleIncarnation) {
        return handleIncarnation == incarnation;
    }

    private static Path directoryOf(Path path) {
        Path parent = path.getParent();
        return parent == null ? Path.of("") : parent;
    }

    /** A change of one or two names that a power cut may undo. */
    private record NameChange(Path first, SimFile firstFile, Path second, SimFile secondFile) {
        NameChange(Path path, SimFile file) {
            this(path, file, null, null);
        }

        /** The change of the other name, if any. */
        NameChange without(Path path) {
            if (path.equals(first)) {
                return new NameChange(second, secondFile, null, null);
            }
            return path.equals(second) ? new NameChange(first, firstFile) : this;
        }

        void applyTo(Map<Path, SimFile> durable) {
            if (first != null) {
                put(durable, first, firstFile);
            }
            if (second != null) {
                put(durable, second, secondFile);
            }
        }

        private static void put(Map<Path, SimFile> durable, Path path, SimFile file) {
            if (file == null) {
                durable.remove(path);
            } else {
                durable.put(path, file);
            }
        }
    }
}
