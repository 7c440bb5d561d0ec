package io.mainstem.benchmarks.measure;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** A folder for one run, gone with it. Thread: one. */
public final class Folders implements AutoCloseable {
    private final Path root;

    private Folders(Path root) {
        this.root = root;
    }

    /** Makes a fresh folder below {@code parent}, which decides the disk that is measured. */
    public static Folders below(Path parent) throws IOException {
        Files.createDirectories(parent);
        return new Folders(Files.createTempDirectory(parent.toAbsolutePath(), "bench-"));
    }

    /** A path below the folder; not created. */
    public Path resolve(String name) {
        return root.resolve(name);
    }

    @Override
    public void close() throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
                Files.deleteIfExists(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
