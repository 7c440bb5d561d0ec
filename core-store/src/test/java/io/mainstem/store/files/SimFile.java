package io.mainstem.store.files;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * One file: what readers see, what the medium holds, and which sectors differ. Thread: under the disk's lock.
 */
final class SimFile {
    static final int SECTOR = 512;

    private byte[] cache = new byte[0];
    private int size;
    private byte[] medium = new byte[0];
    private int mediumSize;
    private final BitSet dirty = new BitSet();
    /** An earlier unsynced state of a dirty sector, which write-back may have stored before the newest one. */
    private final Map<Integer, byte[]> earlier = new HashMap<>();

    int size() {
        return size;
    }

    void write(byte[] bytes, int position) {
        int end = position + bytes.length;
        if (end > cache.length) {
            cache = Arrays.copyOf(cache, Math.max(end, cache.length * 2));
        }
        for (int sector = position / SECTOR; sector * SECTOR < end; sector++) {
            if (dirty.get(sector)) {
                int from = sector * SECTOR;
                earlier.put(sector, Arrays.copyOfRange(cache, from, from + SECTOR));
            }
            dirty.set(sector);
        }
        System.arraycopy(bytes, 0, cache, position, bytes.length);
        size = Math.max(size, end);
    }

    byte[] read(int position, int length) {
        int end = Math.min(size, position + length);
        return end <= position ? new byte[0] : Arrays.copyOfRange(cache, position, end);
    }

    /** Stores the dirty sectors, and only those. */
    void settle() {
        if (mediumSize != size) {
            medium = Arrays.copyOf(medium, size);
            mediumSize = size;
        }
        for (int sector = dirty.nextSetBit(0); sector >= 0; sector = dirty.nextSetBit(sector + 1)) {
            int from = sector * SECTOR;
            System.arraycopy(cache, from, medium, from, Math.max(0, Math.min(SECTOR, size - from)));
        }
        forgetDirty();
    }

    /** What a failed sync does on Linux: pages count as clean from now on, though the medium never got them. */
    void forgetDirty() {
        dirty.clear();
        earlier.clear();
    }

    void powerCut(SplittableRandom random) {
        int kept = mediumSize;
        if (size > mediumSize) {
            kept = mediumSize + random.nextInt(size - mediumSize + 1);
        }
        byte[] after = Arrays.copyOf(medium, kept);
        // Per cut, write-back had got nowhere, far or anywhere.
        double chance = random.nextInt(4) / 3.0;
        for (int sector = dirty.nextSetBit(0); sector >= 0; sector = dirty.nextSetBit(sector + 1)) {
            if (random.nextDouble() < chance) {
                keep(after, sector, random.nextInt(4) == 0);
            }
        }
        medium = after;
        mediumSize = kept;
        cache = after.clone();
        size = kept;
        forgetDirty();
    }

    private void keep(byte[] after, int sector, boolean preferEarlier) {
        int from = sector * SECTOR;
        int length = Math.min(SECTOR, after.length - from);
        if (length <= 0) {
            return;
        }
        byte[] old = earlier.get(sector);
        if (preferEarlier && old != null) {
            System.arraycopy(old, 0, after, from, length);
        } else {
            System.arraycopy(cache, from, after, from, Math.min(length, cache.length - from));
        }
    }

    void flip(int position, int bit) {
        cache[position] ^= (byte) (1 << bit);
        if (position < medium.length) {
            medium[position] ^= (byte) (1 << bit);
        }
    }

    void truncate(int newSize) {
        replace(read(0, newSize));
    }

    void replace(byte[] contents) {
        cache = contents.clone();
        medium = contents.clone();
        size = contents.length;
        mediumSize = size;
        forgetDirty();
    }

    byte[] contents() {
        return read(0, size);
    }
}
