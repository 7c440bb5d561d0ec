package io.mainstem.store.segment;

import io.mainstem.store.files.FileCopy;
import io.mainstem.store.files.StoreFiles;
import java.io.IOException;
import java.nio.file.Path;

/** Copies of damaged files, kept for whoever may want to look at them; nothing here is ever read or deleted again. */
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
}
