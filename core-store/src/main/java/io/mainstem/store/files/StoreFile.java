package io.mainstem.store.files;

import java.io.IOException;
import java.nio.ByteBuffer;

/** One open file. Thread: any; positions are explicit, so concurrent reads are fine. */
public interface StoreFile extends AutoCloseable {
    /**
     * Reads until {@code into} is full or the file ends.
     *
     * @return bytes read, maybe fewer than asked, never -1
     */
    int read(ByteBuffer into, long position) throws IOException;

    /** Writes all of {@code from}, looping over short writes. */
    void write(ByteBuffer from, long position) throws IOException;

    /** fdatasync. A failure is final: what was written since the last success must be taken for lost. */
    void sync() throws IOException;

    long size() throws IOException;

    @Override
    void close() throws IOException;
}
