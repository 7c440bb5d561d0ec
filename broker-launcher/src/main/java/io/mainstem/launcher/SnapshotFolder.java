package io.mainstem.launcher;

import io.mainstem.launcher.lifecycle.ExitCode;
import io.mainstem.launcher.lifecycle.StartFailure;
import io.mainstem.store.files.FileCopy;
import io.mainstem.store.files.NioFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A snapshot: {@code store/}, maybe {@code users.yaml}, and last the file {@code SNAPSHOT} with a first line that says when
 * it was made, then size and name of every file. Without that file it is not whole.
 */
record SnapshotFolder(Path path) {
    private static final String CONTENTS = "SNAPSHOT";
    private static final String STORE = "store";
    private static final String USERS = "users.yaml";

    Path store() {
        return path.resolve(STORE);
    }

    /** Nothing there yet, so that nothing is mixed. */
    void requireEmpty() {
        try {
            if (Files.exists(path) && !isEmpty(path)) {
                throw refused("The folder " + path + " is not empty.", "name a new folder.");
            }
            Files.createDirectories(path);
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }

    /** Copies the store of a broker that does not run. */
    void copyStore(Path from) {
        try {
            copyAll(from, store());
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    /** Adds the users and writes the list of contents. */
    void complete(Path data) {
        try {
            if (Files.exists(data.resolve(USERS))) {
                new FileCopy(new NioFiles()).whole(data.resolve(USERS), path.resolve(USERS));
            }
            StringBuilder text = new StringBuilder("Mainstem snapshot of ")
                    .append(Instant.now())
                    .append('\n');
            for (Path file : files()) {
                text.append(Files.size(file))
                        .append(' ')
                        .append(path.relativize(file))
                        .append('\n');
            }
            Files.writeString(path.resolve(CONTENTS), text);
            new NioFiles().syncDirectory(path);
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    /** Says what is missing or has another size, one line each. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        try {
            if (!Files.exists(path.resolve(CONTENTS))) {
                throw refused(
                        path + " holds no whole snapshot: there is no file " + CONTENTS + ".",
                        "name a folder that 'mainstem snapshot create' has finished.");
            }
            List<String> lines = Files.readAllLines(path.resolve(CONTENTS));
            for (String line : lines.subList(1, lines.size())) {
                int space = line.indexOf(' ');
                Path file = path.resolve(line.substring(space + 1));
                long bytes = Files.exists(file) ? Files.size(file) : -1;
                // A consume-queue file is shared with the broker, which may have gone on writing behind what counts.
                boolean grows = file.toString().endsWith(".view");
                long expected = Long.parseLong(line.substring(0, space));
                if (grows ? bytes < expected : bytes != expected) {
                    problems.add(file + (bytes < 0 ? " is missing" : " has " + bytes + " bytes, expected " + expected));
                }
            }
        } catch (IOException e) {
            throw unusable(e);
        }
        return problems;
    }

    /** Copies everything into a data folder that has no store. */
    void restoreTo(Path data) {
        Path target = data.resolve(STORE);
        try {
            if (Files.exists(target) && !isEmpty(target)) {
                throw refused(
                        "There is a store in " + target + " already.", "move it away, or name another data folder.");
            }
            Files.deleteIfExists(target);
            Path draft = data.resolve(STORE + ".restoring");
            if (Files.exists(draft)) {
                throw refused(
                        draft + " is left of a restore that was broken off.", "remove it, then run the command again.");
            }
            copyAll(store(), draft);
            if (Files.exists(path.resolve(USERS)) && !Files.exists(data.resolve(USERS))) {
                new FileCopy(new NioFiles()).whole(path.resolve(USERS), data.resolve(USERS));
            }
            new NioFiles().renameDurably(draft, target);
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    private static void copyAll(Path from, Path to) throws IOException {
        NioFiles files = new NioFiles();
        FileCopy copy = new FileCopy(files);
        // store.meta last: until then it is no store.
        for (String folder : List.of("log", "ckpt", "view", "")) {
            Path source = folder.isEmpty() ? from : from.resolve(folder);
            Path target = folder.isEmpty() ? to : to.resolve(folder);
            files.createDirectories(target);
            for (String name : files.list(source)) {
                if (!name.equals("LOCK")) {
                    copy.whole(source.resolve(name), target.resolve(name));
                }
            }
            files.syncDirectory(target);
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static StartFailure refused(String problem, String fix) {
        return new StartFailure(ExitCode.DATA_FOLDER, "MS-0124", problem, fix, null);
    }

    private StartFailure unusable(IOException e) {
        return new StartFailure(
                ExitCode.DATA_FOLDER,
                "MS-0124",
                "The snapshot " + path + " cannot be made or read: " + e + ".",
                "see that there is space and that this user may write there.",
                e);
    }
}
