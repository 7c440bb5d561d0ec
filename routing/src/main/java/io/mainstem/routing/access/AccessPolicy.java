package io.mainstem.routing.access;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rules of all users at one moment. Immutable; a changed policy is another instance, and known by that. */
public final class AccessPolicy {
    private static final String DENIAL = "MS-0370";

    /** Of a broker without users. */
    public static final AccessPolicy OPEN = new AccessPolicy(null);

    /** Of the broker's own sessions: what is its alone, too. */
    public static final AccessPolicy BROKER = new AccessPolicy(null);

    /** The user whose rules are those of peers that do not say who they are. */
    public static final String ANONYMOUS = "anonymous";

    private final @Nullable Map<String, List<AccessRule>> byUser;

    private AccessPolicy(@Nullable Map<String, List<AccessRule>> byUser) {
        this.byUser = byUser;
    }

    /**
     * A policy of a broker that has users.
     *
     * @param byUser the rules of each in the order in which they are asked; the first that decides counts, and what no
     *     rule allows is denied
     */
    public static AccessPolicy of(Map<String, List<AccessRule>> byUser) {
        return new AccessPolicy(Map.copyOf(byUser));
    }

    /** True if everybody who got in may do everything. */
    boolean isOpen() {
        return byUser == null;
    }

    List<AccessRule> rulesOf(String user) {
        return byUser == null ? List.of() : byUser.getOrDefault(user, List.of());
    }

    /** True for the text of a denial: whoever decides it logs it, with the rule, so that nobody else has to. */
    public static boolean isDenial(@Nullable String text) {
        return text != null && text.contains(DENIAL);
    }
}
