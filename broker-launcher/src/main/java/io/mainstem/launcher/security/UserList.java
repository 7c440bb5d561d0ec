package io.mainstem.launcher.security;

import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import io.mainstem.transport.security.ScramHash;
import io.mainstem.transport.security.ScramVerifier;
import io.mainstem.transport.security.Users;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the users file says. Immutable.
 *
 * @param byName in order of names
 * @param decoyKey secret from which salts for those who do not exist are made, see {@link Users}
 */
public record UserList(Map<String, User> byName, byte[] decoyKey) {
    public UserList {
        byName = Map.copyOf(byName);
    }

    /** All, sorted by name. */
    public Collection<User> sorted() {
        return new TreeMap<>(byName).values();
    }

    public @Nullable User find(String name) {
        return byName.get(name);
    }

    /** With this user added, or in the place of the one of the same name. */
    public UserList with(User user) {
        Map<String, User> more = new HashMap<>(byName);
        more.put(user.name(), user);
        return new UserList(more, decoyKey);
    }

    /** Without the user of that name. */
    public UserList without(String name) {
        Map<String, User> fewer = new HashMap<>(byName);
        fewer.remove(name);
        return new UserList(fewer, decoyKey);
    }

    /** What logins are checked against. */
    public Users users() {
        Map<String, Map<ScramHash, ScramVerifier>> verifiers = new HashMap<>();
        byName.forEach((name, user) -> verifiers.put(name, user.verifiers()));
        return new Users(verifiers, decoyKey);
    }

    /** What may be done by whom. */
    public AccessPolicy policy() {
        if (byName.isEmpty()) {
            return AccessPolicy.OPEN;
        }
        Map<String, List<AccessRule>> rules = new HashMap<>();
        byName.forEach((name, user) -> rules.put(name, user.permissions()));
        return AccessPolicy.of(rules);
    }
}
