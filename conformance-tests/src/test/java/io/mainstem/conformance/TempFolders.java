package io.mainstem.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Folders that outlive a test method, which JUnit's own do not. */
final class TempFolders {
    private TempFolders() {}

    /** Deletes a folder with all it holds. */
    static void delete(Path folder) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> paths = Files.walk(folder)) {
            deepestFirst = paths.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
