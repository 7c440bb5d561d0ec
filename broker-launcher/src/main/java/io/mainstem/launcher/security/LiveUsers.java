package io.mainstem.launcher.security;

import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.transport.security.Users;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users of a running broker, as the file says at the moment. A file that has become unreadable or has gone changes
 * nothing: a mistake in an editor must not let everybody in, nor nobody. Thread: any.
 */
public final class LiveUsers {
    private static final Logger LOG = LoggerFactory.getLogger(LiveUsers.class);

    private final UsersFile file;
    private volatile Current current;

    private record Current(Users users, AccessPolicy policy) {
        Current(UserList list) {
            this(list.users(), list.policy());
        }
    }

    /** @throws UsersFileException if the file cannot be understood */
    public LiveUsers(UsersFile file, FileWatch watch) {
        this.file = file;
        this.current = new Current(file.read());
        watch.add(List.of(file.path()), this::reload);
    }

    /** Those there are now. */
    public Users users() {
        return current.users();
    }

    /** What they may do now. */
    public AccessPolicy policy() {
        return current.policy();
    }

    private void reload() {
        UserList list = file.read();
        if (list.byName().isEmpty() && !current.users().isEmpty()) {
            LOG.warn(
                    "MS-0119 users file is empty or gone, the former users stay file={} users={} fix: put it back, or"
                            + " restart the broker to run without users.",
                    file.path(),
                    current.users().byName().size());
            return;
        }
        current = new Current(list);
        LOG.info(
                "users reloaded file={} users={}",
                file.path(),
                current.users().byName().size());
    }
}
