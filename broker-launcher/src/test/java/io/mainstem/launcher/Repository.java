package io.mainstem.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The work tree that the tests run in. */
public final class Repository {
    /** Tests run in their module's folder. */
    public static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private static final Set<String> NOT_SOURCES = Set.of("target", "node_modules", ".git", "data");

    private Repository() {}

    /** All files below a folder whose name has the ending, except what builds leave behind; sorted. */
    static List<Path> files(Path folder, String ending) {
        try (Stream<Path> walk = Files.walk(folder)) {
            return walk.filter(path -> path.getFileName().toString().endsWith(ending))
                    .filter(Repository::isSource)
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text of a file, given from the root. */
    public static String read(String file) {
        return read(ROOT.resolve(file));
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isSource(Path path) {
        for (Path part : ROOT.relativize(path)) {
            if (NOT_SOURCES.contains(part.toString())) {
                return false;
            }
        }
        return true;
    }
}
