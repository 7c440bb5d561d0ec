package io.mainstem.store.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/** An open file of the simulated disk. Thread: any; works under the disk's lock. */
final class SimHandle implements StoreFile {
    private final SimDisk disk;
    private final SimFile file;
    private final int incarnation;
    private boolean closed;

    SimHandle(SimDisk disk, SimFile file, int incarnation) {
        this.disk = disk;
        this.file = file;
        this.incarnation = incarnation;
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        synchronized (disk) {
            checkOpen();
            disk.faults().beforeRead();
            byte[] bytes = file.read((int) position, into.remaining());
            into.put(bytes);
            return bytes.length;
        }
    }

    @Override
    public void write(ByteBuffer from, long position) throws IOException {
        synchronized (disk) {
            checkOpen();
            long grows = Math.max(0, position + from.remaining() - file.size());
            long free = disk.faults().capacityBytes() - disk.usedBytes();
            int allowed = disk.faults().beforeWrite(from.remaining());
            boolean full = grows > free;
            if (full) {
                allowed = (int) Math.min(allowed, Math.max(0, from.remaining() - grows + Math.max(0, free)));
            }
            byte[] bytes = new byte[allowed];
            boolean complete = allowed == from.remaining();
            from.get(bytes);
            file.write(bytes, (int) position);
            disk.faults().afterWrite(complete, full);
        }
    }

    @Override
    public void sync() throws IOException {
        synchronized (disk) {
            checkOpen();
            if (!disk.faults().beforeSync()) {
                file.forgetDirty();
                throw new IOException("Input/output error");
            }
            file.settle();
        }
    }

    @Override
    public long size() throws IOException {
        synchronized (disk) {
            checkOpen();
            return file.size();
        }
    }

    @Override
    public void close() {
        closed = true;
    }

    private void checkOpen() throws ClosedChannelException {
        if (closed || !disk.alive(incarnation)) {
            throw new ClosedChannelException();
        }
    }
}
