package io.mainstem.launcher.security;

import io.mainstem.routing.access.AccessRule;
import io.mainstem.transport.security.ScramHash;
import io.mainstem.transport.security.ScramVerifier;
import java.util.List;
import java.util.Map;

/**
 * One entry of the users file.
 *
 * @param name in the normal form of SASL
 * @param verifiers of the password; none for a user who comes by certificate only
 * @param permissions asked in this order; what none of them allows is denied
 */
public record User(String name, Map<ScramHash, ScramVerifier> verifiers, List<AccessRule> permissions) {
    public User {
        verifiers = Map.copyOf(verifiers);
        permissions = List.copyOf(permissions);
    }

    /** With another password, or none. */
    public User withVerifiers(Map<ScramHash, ScramVerifier> others) {
        return new User(name, others, permissions);
    }

    /** With these permissions in the place of those it had. */
    public User withPermissions(List<AccessRule> others) {
        return new User(name, verifiers, others);
    }
}
