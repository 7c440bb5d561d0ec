package io.mainstem.store.files;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Real files on a disk that has room for so many bytes: a file that would grow beyond it cannot, as on a full disk. */
public final class SmallDisk implements StoreFiles {
    private final StoreFiles files = new NioFiles();
    private final Map<Path, Long> sizes = new ConcurrentHashMap<>();
    private volatile long capacity;

    /** @param capacity bytes of all files together */
    public SmallDisk(long capacity) {
        this.capacity = capacity;
    }

    /** From now on there is room for so many bytes more. */
    public synchronized void fill(long bytesLeft) {
        capacity = used() + bytesLeft;
    }

    private synchronized void grow(Path path, long size) throws IOException {
        long before = sizes.getOrDefault(path, 0L);
        if (size > before) {
            if (used() + size - before > capacity) {
                throw new IOException("No space left on device");
            }
            sizes.put(path, size);
        }
    }

    private long used() {
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public StoreFile open(Path path, OpenMode mode) throws IOException {
        StoreFile file = files.open(path, mode);
        grow(path, file.size());
        return new Growing(path, file);
    }

    @Override
    public synchronized void renameDurably(Path from, Path to) throws IOException {
        files.renameDurably(from, to);
        Long size = sizes.remove(from);
        if (size != null) {
            sizes.put(to, size);
        }
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        files.link(existing, name);
    }

    @Override
    public boolean shared(Path path) throws IOException {
        return files.shared(path);
    }

    @Override
    public synchronized void delete(Path path) throws IOException {
        files.delete(path);
        sizes.remove(path);
    }

    @Override
    public Closeable lock(Path path, String holder) throws IOException {
        return files.lock(path, holder);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        files.syncDirectory(directory);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        files.createDirectories(directory);
    }

    @Override
    public boolean exists(Path path) {
        return files.exists(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return files.list(directory);
    }

    @Override
    public synchronized long usableBytes(Path path) {
        return capacity - used();
    }

    /** A file renamed while it is open keeps its first name here: it does not grow any more then. */
    private final class Growing implements StoreFile {
        private final Path path;
        private final StoreFile file;
        private volatile long size;

        Growing(Path path, StoreFile file) throws IOException {
            this.path = path;
            this.file = file;
            this.size = file.size();
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            return file.read(into, position);
        }

        @Override
        public void write(ByteBuffer from, long position) throws IOException {
            long end = position + from.remaining();
            if (end > size) {
                grow(path, end);
                size = end;
            }
            file.write(from, position);
        }

        @Override
        public void sync() throws IOException {
            file.sync();
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
