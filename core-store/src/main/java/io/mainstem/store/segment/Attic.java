package io.mainstem.store.segment;

import io.mainstem.store.files.FileCopy;
import io.mainstem.store.files.StoreFiles;
import java.io.IOException;
import java.nio.file.Path;

/** Damaged files and copies of them, kept for whoever may want to look at them; nothing here is ever read or deleted again. */
final class Attic {
    private Attic() {}

    /**
     * Copies a log file to the folder {@code attic} beside it, once.
     *
     * @return the copy's path
     * @throws IOException if there is no space for it
     */
    static String copy(StoreFiles files, Path path) throws IOException {
        Path attic = path.resolveSibling("attic");
        files.createDirectories(attic);
        Path target = attic.resolve(String.valueOf(path.getFileName()));
        if (files.exists(target)) {
            return target.toString();
        }
        Path draft = target.resolveSibling(target.getFileName() + ".tmp");
        files.delete(draft);
        try {
            new FileCopy(files).whole(path, draft);
        } catch (IOException e) {
            files.delete(draft);
            throw e;
        }
        files.renameDurably(draft, target);
        return target.toString();
    }

    /** Moves a log file there; the one that is there already keeps its name. */
    static void move(StoreFiles files, Path path) throws IOException {
        Path attic = path.resolveSibling("attic");
        files.createDirectories(attic);
        Path target = attic.resolve(String.valueOf(path.getFileName()));
        for (int i = 2; files.exists(target); i++) {
            target = attic.resolve(path.getFileName() + "-" + i);
        }
        files.renameDurably(path, target);
    }
}
