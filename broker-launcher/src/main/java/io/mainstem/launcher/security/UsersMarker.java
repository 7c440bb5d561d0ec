package io.mainstem.launcher.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers, beside the store, that this broker has users. A users file that is lost or emptied must not make one that is open to
 * everybody: that takes a file which says so. Thread: any.
 *
 * @param file absolute; there once the broker has had users
 */
public record UsersMarker(Path file) {
    /** Its name in the data folder. */
    public static final String NAME = "had-users";

    private static final Logger LOG = LoggerFactory.getLogger(UsersMarker.class);

    /**
     * Looks at a start.
     *
     * @throws UsersFileException MS-0128 if there were users and the file that would say who they are says nothing
     */
    public void check(UsersFile users, UserList found) {
        if (!found.byName().isEmpty()) {
            keep();
        } else if (Files.exists(file)) {
            if (users.isBlank()) {
                throw new UsersFileException(
                        "MS-0128",
                        users.path() + " is empty or missing, and this broker has had users.",
                        "restore it from a copy; to run without users on purpose, delete " + file + ".",
                        null);
            }
            forget();
        }
    }

    /** There are users now. */
    void keep() {
        try {
            if (!Files.exists(file)) {
                Files.writeString(file, "This broker has had users: it does not start when its users file is lost.\n");
            }
        } catch (IOException e) {
            LOG.warn(
                    "MS-0129 not noted that there are users file={} reason=\"{}\" fix: let the broker write there.",
                    file,
                    e.toString());
        }
    }

    private void forget() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn(
                    "MS-0129 not noted that there are no users file={} reason=\"{}\" fix: delete it.",
                    file,
                    e.toString());
        }
    }
}
