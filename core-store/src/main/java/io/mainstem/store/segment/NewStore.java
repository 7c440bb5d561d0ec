package io.mainstem.store.segment;

import io.mainstem.store.StoreException;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.segment.SyncedSlots.Slot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Makes an empty store, and only where none has been. What makes a store whole is written last: {@code ckpt/synced}, then
 * {@code store.meta}; so a folder that has one of them alone is what is left of a store, and nothing is begun there. A crash
 * between the two leaves a note of epoch 0, which no store that has run has.
 *
 * <p>Thread: opening thread.
 */
final class NewStore {
    private final StoreFiles files;
    private final Path directory;

    NewStore(StoreFiles files, Path directory) {
        this.files = files;
        this.directory = directory;
    }

    /**
     * Makes one.
     *
     * @throws StoreException MS-0203 if there was one, MS-0265 if one was being restored
     */
    StoreMeta make(LogLayout layout) throws IOException {
        requireNothing();
        StoreMeta meta = new StoreMeta(UUID.randomUUID(), 0, layout);
        files.delete(SyncedSlots.path(directory));
        SyncedSlots slots = SyncedSlots.open(files, directory, null);
        try {
            slots.write(new Slot(0, 0, 0, 0, 0, false));
        } finally {
            slots.close();
        }
        meta.create(files, directory);
        return meta;
    }

    private void requireNothing() throws IOException {
        String name = String.valueOf(directory.getFileName());
        Path restoring = directory.resolveSibling(name + ".restoring");
        if (!files.list(restoring).isEmpty()
                || !files.list(restoring.resolve("log")).isEmpty()) {
            throw new StoreException(
                    "MS-0265",
                    "There is no store in " + directory + ", and " + restoring
                            + " is left of a restore that was broken off.",
                    "remove " + restoring + ", then run 'mainstem snapshot restore' again.");
        }
        String found = remains();
        if (!found.isEmpty()) {
            throw new StoreException(
                    "MS-0203",
                    directory.resolve(StoreMeta.FILE) + " is missing, but there is " + found + ".",
                    "restore this file of 64 bytes from a copy of the store. If the folder was to become a snapshot or"
                            + " a salvaged store, that was broken off: remove it and begin again.");
        }
    }

    private String remains() throws IOException {
        for (String folder : new String[] {"log", "view", "ckpt"}) {
            for (String name : files.list(directory.resolve(folder))) {
                if (!name.equals(SyncedSlots.FILE)) {
                    return folder + "/" + name;
                }
            }
        }
        Slot slot = SyncedSlots.read(files, directory);
        boolean nothing = slot == null ? !SyncedSlots.unfinished(files, directory) : slot.epoch() == 0;
        return nothing ? "" : "ckpt/" + SyncedSlots.FILE;
    }
}
