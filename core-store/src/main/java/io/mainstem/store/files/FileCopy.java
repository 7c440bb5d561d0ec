package io.mainstem.store.files;

import io.mainstem.store.files.StoreFiles.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Copies files, durably but for their names. Thread: one. */
public final class FileCopy {
    private static final int BUFFER_BYTES = 1 << 20;

    private final StoreFiles files;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

    public FileCopy(StoreFiles files) {
        this.files = files;
    }

    /** A second name for a file that nobody changes any more, or a copy where that is not possible. */
    public void linkOrCopy(Path from, Path to) throws IOException {
        try {
            files.link(from, to);
        } catch (IOException e) {
            if (files.exists(to) || !files.exists(from)) {
                throw e;
            }
            whole(from, to);
        }
    }

    /** All of it; returns its size. */
    public long whole(Path from, Path to) throws IOException {
        return copy(from, to, Long.MAX_VALUE, 1);
    }

    /**
     * Its first bytes, and zeros behind them.
     *
     * @param align the copy's size will be a multiple of it
     * @return bytes copied: fewer if it has no more
     */
    public long beginning(Path from, Path to, long bytes, int align) throws IOException {
        return copy(from, to, bytes, align);
    }

    private long copy(Path from, Path to, long bytes, int align) throws IOException {
        try (StoreFile source = files.open(from, OpenMode.READ);
                StoreFile target = files.open(to, OpenMode.CREATE_NEW)) {
            long at = 0;
            while (at < bytes) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), bytes - at));
                int read = source.read(buffer, at);
                if (read == 0) {
                    break;
                }
                target.write(buffer.flip(), at);
                at += read;
            }
            int rest = (int) (at % align);
            if (rest > 0) {
                target.write(ByteBuffer.allocate(align - rest), at);
            }
            target.sync();
            return at;
        }
    }
}
