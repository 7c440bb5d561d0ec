package io.mainstem.store.shard;

import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.segment.SteppedLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Damages, on a simulated disk, what is derived from the log: blocks and whole files of consume queues, the newest of two
 * checkpoints. The store must hold afterwards what it held before ([L-11], ADR 0050).
 */
final class DerivedDamage {
    private static final int BLOCK_BYTES = 4096;
    private static final Path VIEW = SteppedLog.FOLDER.resolve("view");
    private static final Path CHECKPOINTS = SteppedLog.FOLDER.resolve("ckpt");

    private final SimDisk disk;
    private final SplittableRandom random;

    DerivedDamage(SimDisk disk, SplittableRandom random) {
        this.disk = disk;
        this.random = random;
    }

    /** Some bits in files that a running store reads; true if there was anything to damage. */
    boolean whileRunning() {
        List<String> files = disk.list(VIEW);
        boolean done = false;
        for (String name : files) {
            done |= damageBlocks(VIEW.resolve(name), 1 + random.nextInt(3));
        }
        return done;
    }

    /** Whatever may happen to a disk in a drawer; true if there was anything to damage. */
    boolean whileStopped() {
        boolean done = false;
        for (String name : disk.list(VIEW)) {
            Path file = VIEW.resolve(name);
            switch (random.nextInt(4)) {
                case 0 -> {
                    disk.lose(file);
                    done = true;
                }
                case 1 -> {
                    disk.truncate(file, random.nextInt(disk.contents(file).length + 1));
                    done = true;
                }
                case 2 -> done |= damageBlocks(file, 1 + random.nextInt(8));
                default -> {
                    // sound
                }
            }
        }
        if (random.nextInt(3) == 0) {
            done |= damageCheckpoint();
        }
        return done;
    }

    private boolean damageBlocks(Path file, int blocks) {
        int there = disk.contents(file).length / BLOCK_BYTES;
        for (int i = 0; i < blocks && there > 0; i++) {
            long at = (long) random.nextInt(there) * BLOCK_BYTES + random.nextInt(BLOCK_BYTES);
            disk.flipBit(file, at, random.nextInt(8));
        }
        return there > 0;
    }

    /** The older of the two is what a damaged one is good for. */
    private boolean damageCheckpoint() {
        List<String> images = disk.list(CHECKPOINTS).stream()
                .filter(name -> name.endsWith(".ckp"))
                .toList();
        if (images.size() < 2) {
            return false;
        }
        Path newest = CHECKPOINTS.resolve(images.get(images.size() - 1));
        try {
            Checkpoints.verify(disk, CHECKPOINTS.resolve(images.get(0)));
        } catch (IOException e) {
            return false;
        }
        int size = disk.contents(newest).length;
        if (size > 0) {
            disk.flipBit(newest, random.nextInt(size), random.nextInt(8));
        }
        return size > 0;
    }
}
