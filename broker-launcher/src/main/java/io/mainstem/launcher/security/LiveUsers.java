package io.mainstem.launcher.security;

import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import io.mainstem.transport.security.Users;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users of a running broker, as the file says at the moment. A file that has become unreadable or blank or has gone
 * changes nothing: a mistake in an editor must not let everybody in, nor nobody. One that says that there are no users any
 * more lets nobody in until the next start: listeners may be open to other machines. Thread: any.
 */
public final class LiveUsers {
    private static final Logger LOG = LoggerFactory.getLogger(LiveUsers.class);

    private final UsersFile file;
    private final UsersMarker marker;
    private final List<Consumer<Revoked>> revocations = new CopyOnWriteArrayList<>();
    private volatile Current current;

    private record Current(UserList list, Users users, AccessPolicy policy) {
        Current(UserList list) {
            this(list, list.users(), list.policy());
        }

        static Current closed(UserList list) {
            return new Current(list, list.users().closed(), AccessPolicy.of(Map.of()));
        }

        /** Who may not stay when {@code next} comes, or null if all may. */
        @Nullable
        Revoked revoked(Current next) {
            if (users.isEmpty()) {
                // Nobody has shown who he is, whatever name he gave.
                return next.users().isEmpty() ? null : new Revoked(null);
            }
            Set<String> changed = list.byName().values().stream()
                    .filter(user -> !rules(user).equals(rules(next.list().find(user.name()))))
                    .map(User::name)
                    .collect(Collectors.toSet());
            return changed.isEmpty() ? null : new Revoked(changed);
        }

        private static Optional<List<String>> rules(@Nullable User user) {
            return Optional.ofNullable(user)
                    .map(known ->
                            known.permissions().stream().map(AccessRule::text).toList());
        }
    }

    /**
     * Who may not stay connected.
     *
     * @param users those who have gone or may do other things now; null = everybody who came while there were no users
     */
    public record Revoked(@Nullable Set<String> users) {
        /**
         * Why a peer has to go, or null if it may stay.
         *
         * @param user whom it was let in as; null = nobody, which gives it the permissions of {@code anonymous}
         */
        public @Nullable String reason(@Nullable String user) {
            if (users == null) {
                return "users were added, everybody has to log in";
            }
            String as = user == null ? AccessPolicy.ANONYMOUS : user;
            return users.contains(as) ? "user '" + as + "' was removed or has other permissions now" : null;
        }

        /** For the log. */
        public String shown() {
            return users == null ? "everybody" : new TreeSet<>(users).toString();
        }
    }

    /** @throws UsersFileException if the file cannot be understood, or is lost */
    public LiveUsers(UsersFile file, UsersMarker marker, FileWatch watch) {
        this.file = file;
        this.marker = marker;
        this.current = new Current(file.read());
        marker.check(file, current.list());
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

    /**
     * Calls {@code reaction} with those who may not stay, once the change is in force: whoever asks for the policy from then
     * on gets the new one. Reactions run on the watch's thread.
     */
    public void onRevoked(Consumer<Revoked> reaction) {
        revocations.add(reaction);
    }

    private void reload() {
        UserList list = file.read();
        boolean hadUsers = !current.users().isEmpty();
        if (!list.byName().isEmpty()) {
            marker.keep();
        }
        if (list.byName().isEmpty() && hadUsers && file.isBlank()) {
            LOG.warn(
                    "MS-0119 users file is empty or gone, the former users stay file={} users={} fix: put it"
                            + " back, or remove the users by 'mainstem user remove'; without it the broker does not start.",
                    file.path(),
                    current.users().byName().size());
            return;
        }
        Current former = current;
        Current next = list.byName().isEmpty() && hadUsers ? Current.closed(list) : new Current(list);
        current = next;
        if (next.users().byName().isEmpty() && hadUsers) {
            LOG.warn(
                    "MS-0126 the last user was removed, nobody gets in by name file={} fix: add a user, or restart the"
                            + " broker to run without users.",
                    file.path());
        }
        LOG.info(
                "users reloaded file={} users={}",
                file.path(),
                current.users().byName().size());
        Revoked revoked = former.revoked(next);
        if (revoked != null) {
            revocations.forEach(reaction -> reaction.accept(revoked));
        }
    }
}
