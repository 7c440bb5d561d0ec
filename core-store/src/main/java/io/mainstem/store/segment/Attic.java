package io.mainstem.store.segment;

import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Copies of damaged files, kept for whoever may want to look at them; nothing here is ever read or deleted again. */
final class Attic {
    private static final int BUFFER_BYTES = 1 << 20;

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
        try (StoreFile from = files.open(path, OpenMode.READ);
                StoreFile to = files.open(draft, OpenMode.CREATE_NEW)) {
            ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
            for (long at = 0; from.read(buffer.clear(), at) > 0; at += buffer.limit()) {
                to.write(buffer.flip(), at);
            }
            to.sync();
        } catch (IOException e) {
            files.delete(draft);
            throw e;
        }
        files.renameDurably(draft, target);
        return target.toString();
    }
}
