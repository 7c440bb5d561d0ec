package io.mainstem.launcher.lifecycle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The broker's folder: the store below it and the endpoints file in it.
 *
 * @param path absolute
 */
public record DataFolder(Path path) {
    private static final String ENDPOINTS = "endpoints";

    public DataFolder {
        path = path.toAbsolutePath().normalize();
    }

    /** Where the store lives. */
    public Path store() {
        return path.resolve("store");
    }

    /** One {@code name=host:port} a line while connections are accepted. */
    public Path endpointsFile() {
        return path.resolve(ENDPOINTS);
    }

    /** Creates the folder if needed and makes sure that files can be made in it. */
    void prepare() {
        try {
            Files.createDirectories(path);
            Files.delete(Files.createTempFile(path, "probe", ".tmp"));
        } catch (IOException e) {
            throw new StartFailure(
                    ExitCode.DATA_FOLDER,
                    "MS-0111",
                    "The data folder " + path + " cannot be written: " + reason(e) + ".",
                    "let the user that runs the broker create and write it, or choose another with --data DIR.",
                    e);
        }
    }

    /** Replaces the endpoints file in one step: a reader sees all lines or none. */
    void publish(List<Endpoint> endpoints) {
        String text = endpoints.stream()
                .map(endpoint -> endpoint.name() + "=" + endpoint.authority() + "\n")
                .collect(Collectors.joining());
        Path written = path.resolve(ENDPOINTS + ".tmp");
        try {
            Files.writeString(written, text);
            Files.move(written, endpointsFile(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new StartFailure(
                    ExitCode.DATA_FOLDER,
                    "MS-0111",
                    "The endpoints file " + endpointsFile() + " cannot be written: " + reason(e) + ".",
                    "make room or give the user that runs the broker write permission on the data folder.",
                    e);
        }
    }

    /** Removes the endpoints file. To be called only by the process that holds the store's lock. */
    void withdraw() {
        try {
            Files.deleteIfExists(endpointsFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "a file is in its place";
        }
        return e instanceof FileSystemException failed && failed.getReason() != null
                ? failed.getReason()
                : e.toString();
    }
}
