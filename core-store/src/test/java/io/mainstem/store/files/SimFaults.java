package io.mainstem.store.files;

import java.io.IOException;

/**
 * How the simulated disk misbehaves. Counters count down operations of their kind; 0 fires once, negative is off.
 * Thread: set by the test between operations.
 */
public final class SimFaults {
    private int powerCutIn = -1;
    private int syncFailsIn = -1;
    private int shortWriteIn = -1;
    private int readFailsIn = -1;
    private int readsFail;
    private ReadError readError = ReadError.MEDIUM;
    private boolean forConsumers = true;
    private long capacityBytes = Long.MAX_VALUE;

    /** The machine dies in the {@code n}-th operation from now that changes anything, which is done partly. */
    public void powerCutIn(int operations) {
        powerCutIn = operations;
    }

    /** The {@code n}-th sync from now fails; what was dirty counts as clean, so later syncs do not store it. */
    public void syncFailsIn(int syncs) {
        syncFailsIn = syncs;
    }

    /** The {@code n}-th write from now stops half-way with an error. */
    public void shortWriteIn(int writes) {
        shortWriteIn = writes;
    }

    /** The {@code n}-th read from now fails. */
    public void readFailsIn(int reads) {
        readsFailIn(reads, 1, ReadError.MEDIUM);
    }

    /** From the {@code n}-th on so many reads fail; the next ones succeed. */
    public void readsFailIn(int reads, int times, ReadError how) {
        readFailsIn = reads;
        readsFail = times;
        readError = how;
    }

    /** Whether what is read now is for consumers: a lack of memory in what runs beside them is another matter. */
    public void forConsumers(boolean reads) {
        forConsumers = reads;
    }

    /** Reads succeed again; how many have failed of those that were to. */
    public int readsSucceed(int wanted) {
        int failed = wanted - Math.max(0, readsFail);
        readFailsIn = -1;
        readsFail = 0;
        return failed;
    }

    /** Why a read fails though nothing is wrong with what it reads. */
    public enum ReadError {
        MEDIUM,
        OPEN_FILES,
        MEMORY
    }

    /** Size of the disk; writes that need more fail for lack of space. */
    public void capacityBytes(long bytes) {
        capacityBytes = bytes;
    }

    long capacityBytes() {
        return capacityBytes;
    }

    /** Everything works again; the disk's size stays. */
    public void clear() {
        powerCutIn = -1;
        syncFailsIn = -1;
        shortWriteIn = -1;
        readFailsIn = -1;
    }

    void beforeMetadata() {
        powerLeft();
    }

    void beforeRead() throws IOException {
        if (readError == ReadError.MEMORY && !forConsumers) {
            return;
        }
        if (readFailsIn > 0) {
            readFailsIn--;
        } else if (readFailsIn == 0) {
            readsFail--;
            readFailsIn = readsFail > 0 ? 0 : -1;
            fail(readError);
        }
    }

    /** Fails in this way. */
    public static void fail(ReadError how) throws IOException {
        switch (how) {
            case MEDIUM -> throw new IOException("Input/output error");
            case OPEN_FILES -> throw new IOException("Too many open files");
            default -> throw new OutOfMemoryError("simulated");
        }
    }

    /** Returns how many bytes get through. */
    int beforeWrite(int bytes) {
        if (shortWriteIn == 0 || powerCutIn == 0) {
            return bytes / 2;
        }
        return bytes;
    }

    void afterWrite(boolean complete, boolean full) throws IOException {
        powerLeft();
        if (shortWriteIn >= 0 && shortWriteIn-- == 0) {
            throw new IOException("Input/output error");
        }
        if (!complete && full) {
            throw new IOException("No space left on device");
        }
    }

    /** Returns false if this sync fails. */
    boolean beforeSync() {
        powerLeft();
        return syncFailsIn < 0 || syncFailsIn-- != 0;
    }

    private void powerLeft() {
        if (powerCutIn >= 0 && powerCutIn-- == 0) {
            throw new PowerCut();
        }
    }

    /** Unwinds the stack of the code under test when the machine dies; the test then calls {@link SimDisk#powerCut}. */
    public static final class PowerCut extends Error {
        private static final long serialVersionUID = 1L;

        PowerCut() {
            super("power cut", null, false, false);
        }
    }
}
