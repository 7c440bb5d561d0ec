package io.mainstem.routing.access;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one user in one virtual host, in the order in which they are asked. Immutable.
 *
 * @param everything nothing has to be asked: all is allowed
 */
record UserRules(boolean everything, List<AccessRule.Applied> rules) {
    /** Whoever asks may do everything. */
    static final UserRules OPEN = new UserRules(true, List.of());

    /** @param clientId what {@code %c} stands for; null = any client of the user */
    static UserRules of(AccessPolicy policy, String virtualHost, String user, @Nullable String clientId) {
        if (policy.isOpen()) {
            return OPEN;
        }
        List<AccessRule.Applied> applied = new ArrayList<>();
        for (AccessRule rule : policy.rulesOf(user)) {
            AccessRule.Applied its = Glob.matches(rule.virtualHost(), virtualHost) ? rule.apply(user, clientId) : null;
            if (its != null) {
                applied.add(its);
            }
        }
        boolean all = !applied.isEmpty()
                && applied.get(0).rule().allows()
                && applied.get(0).rule().isAboutAll(virtualHost);
        return new UserRules(all, List.copyOf(applied));
    }

    /** The rule that decides, or null if none does. */
    AccessRule.@Nullable Applied deciding(Action action, ObjectKind kind, String object) {
        return deciding(action, kind, object, false);
    }

    /** @param filtered what comes by the object is looked at once more: a {@code deny} of a part of it closes that part only */
    AccessRule.@Nullable Applied deciding(Action action, ObjectKind kind, String object, boolean filtered) {
        for (AccessRule.Applied rule : rules) {
            if (rule.decides(action, kind, object, filtered)) {
                return rule;
            }
        }
        return null;
    }

    boolean allows(Action action, ObjectKind kind, String object) {
        return everything || allows(deciding(action, kind, object));
    }

    static boolean allows(AccessRule.@Nullable Applied deciding) {
        return deciding != null && deciding.rule().allows();
    }
}
