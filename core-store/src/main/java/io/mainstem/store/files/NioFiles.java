package io.mainstem.store.files;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The real disk, through {@link FileChannel}. Thread: any that nobody interrupts, because an interrupt closes the
 * channel for all its users.
 */
public final class NioFiles implements StoreFiles {
    @Override
    public StoreFile open(Path path, OpenMode mode) throws IOException {
        return new NioFile(FileChannel.open(path, optionsOf(mode)));
    }

    @Override
    public StoreFile openDirect(Path path) throws IOException {
        try {
            int block = Math.toIntExact(Files.getFileStore(path).getBlockSize());
            return new DirectFile(FileChannel.open(path, StandardOpenOption.READ, ExtendedOpenOption.DIRECT), block);
        } catch (UnsupportedOperationException | FileSystemException e) {
            return open(path, OpenMode.READ); // tmpfs, for one, has nothing to go past
        }
    }

    private static Set<StandardOpenOption> optionsOf(OpenMode mode) {
        return switch (mode) {
            case READ -> Set.of(StandardOpenOption.READ);
            case READ_WRITE -> Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
            case CREATE_NEW -> Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        };
    }

    @Override
    public void renameDurably(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        syncDirectory(parentOf(to));
        if (!parentOf(from).equals(parentOf(to))) {
            syncDirectory(parentOf(from));
        }
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        if (!Files.getFileStore(existing).supportsFileAttributeView("unix")) {
            throw new IOException("names of a file cannot be counted on the file system of " + existing);
        }
        try {
            Files.createLink(name, existing);
        } catch (UnsupportedOperationException e) {
            throw new IOException("no links on the file system of " + existing, e);
        }
    }

    @Override
    public boolean shared(Path path) throws IOException {
        return Files.getFileStore(path).supportsFileAttributeView("unix")
                && ((Integer) Files.getAttribute(path, "unix:nlink")) > 1;
    }

    @Override
    public void delete(Path path) throws IOException {
        Files.deleteIfExists(path);
    }

    @Override
    public Closeable lock(Path path, String holder) throws IOException {
        FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(holder.getBytes(StandardCharsets.UTF_8)), 0);
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // Held by this very process: same answer as for a stranger.
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        throw new LockHeldException(path, Files.readString(path).strip());
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory);
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> paths = Files.list(directory)) {
            return paths.filter(Files::isRegularFile)
                    .map(path -> String.valueOf(path.getFileName()))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    @Override
    public long usableBytes(Path path) throws IOException {
        FileStore store = Files.getFileStore(path);
        return store.getUsableSpace();
    }

    private static Path parentOf(Path path) {
        Path parent = path.toAbsolutePath().getParent();
        return parent == null ? path.toAbsolutePath() : parent;
    }
}
