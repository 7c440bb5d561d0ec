package io.mainstem.store.shard;

import io.mainstem.store.files.SimDisk;
import io.mainstem.store.segment.SteppedLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * What a file system check or a partial restore does to a store that nobody has open: whole files of any kind lost, cut,
 * exchanged with others of their kind, or renamed. Can be undone, as by putting the files back.
 */
final class FileLoss {
    private static final List<String> FOLDERS = List.of("", "log", "log/pool", "ckpt", "view", "spool");
    private static final List<String> OFTEN = List.of("", "log", "log", "log", "log/pool", "ckpt", "view", "spool");

    private final SimDisk disk;
    private final SplittableRandom random;
    private final Map<Path, byte[]> before = new TreeMap<>();
    private final Set<Deed> deeds = EnumSet.noneOf(Deed.class);
    private String what = "";
    private String unmended = "";
    private boolean pending;

    /** What is done to files. */
    enum Deed {
        LOST,
        CUT,
        EXCHANGED,
        RENAMED
    }

    FileLoss(SimDisk disk, SplittableRandom random) {
        this.disk = disk;
        this.random = random;
    }

    /** True if now is the time. */
    boolean mayHappen() {
        return random.nextInt(2) == 0 && disk.exists(SteppedLog.FOLDER.resolve("store.meta"));
    }

    /**
     * Does something to one or two files; false if there are none. What has been mended out of the log stays the only loss:
     * no second one can be made good.
     */
    boolean happens() {
        if (!unmended.isEmpty()) {
            return false;
        }
        before.clear();
        what = "";
        for (Path path : files()) {
            before.put(path, disk.contents(path));
        }
        // A folder first: the log has so many files that others would hardly be met.
        String folder = OFTEN.get(random.nextInt(OFTEN.size()));
        for (int i = random.nextInt(3) == 0 ? 2 : 1; i > 0; i--) {
            one(folder);
        }
        unmended = what;
        pending = !what.isEmpty();
        return pending;
    }

    /** What has been done, for people. */
    @Override
    public String toString() {
        return what;
    }

    /** True if it may have cost what nobody vouched for: the log was hit. */
    boolean hitsLog() {
        return what.contains("/log/") || what.contains("/synced") || what.contains("store.meta");
    }

    /** Kinds of deeds so far. */
    Set<Deed> deeds() {
        return deeds;
    }

    /** The store has opened, with what has been done or without. */
    void opened() {
        pending = false;
    }

    /** True if something has been done, and the store has not opened since. */
    boolean pending() {
        return pending;
    }

    /** Everything is put back as it was. */
    void undo() {
        unmended = "";
        pending = false;
        files().forEach(disk::lose);
        before.forEach(disk::put);
    }

    private void one(String folder) {
        List<Path> there = inFolder(files(), folder);
        if (there.isEmpty()) {
            return;
        }
        Path path = there.get(random.nextInt(there.size()));
        List<Path> others = new ArrayList<>(there);
        others.remove(path);
        Deed deed = Deed.values()[random.nextInt(Deed.values().length)];
        if (deed == Deed.EXCHANGED && others.isEmpty()) {
            deed = Deed.LOST;
        }
        deeds.add(deed);
        what += deed + " " + path + "; ";
        switch (deed) {
            case LOST -> disk.lose(path);
            case CUT -> disk.truncate(path, random.nextInt(disk.contents(path).length + 1));
            case EXCHANGED -> {
                Path other = others.get(random.nextInt(others.size()));
                byte[] contents = disk.contents(path);
                disk.put(path, disk.contents(other));
                disk.put(other, contents);
                what += "with " + other + "; ";
            }
            default -> {
                Path name = others.isEmpty() || random.nextBoolean()
                        ? path.resolveSibling(path.getFileName() + ".bak")
                        : others.get(random.nextInt(others.size()));
                byte[] contents = disk.contents(path);
                disk.lose(path);
                disk.put(name, contents);
                what += "to " + name + "; ";
            }
        }
    }

    private static List<Path> inFolder(List<Path> files, String folder) {
        Path parent = folder.isEmpty() ? SteppedLog.FOLDER : SteppedLog.FOLDER.resolve(folder);
        return files.stream().filter(file -> parent.equals(file.getParent())).toList();
    }

    private List<Path> files() {
        List<Path> files = new ArrayList<>();
        for (String folder : FOLDERS) {
            Path parent = folder.isEmpty() ? SteppedLog.FOLDER : SteppedLog.FOLDER.resolve(folder);
            for (String name : disk.list(parent)) {
                if (!name.equals("LOCK")) {
                    files.add(parent.resolve(name));
                }
            }
        }
        return files;
    }
}
