package io.mainstem.routing.selector;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tags as RocketMQ's subscriptions list them, {@code A || B}: a message has one, its subject. They are compared as text,
 * not by hash code, so that no client has to sort out what only hashes alike [F-2]. Thread: any.
 */
public final class TagList {
    private static final String ALL = "*";

    private TagList() {}

    /**
     * The selector that says the same.
     *
     * @return null for {@code *} and for no tag at all: every message
     * @throws SelectorException if there are too many tags or characters
     */
    public static @Nullable Selector compile(String tags) {
        Set<String> literals = new LinkedHashSet<>();
        for (String part : tags.split("\\|\\|", -1)) {
            String tag = part.strip();
            if (tag.equals(ALL)) {
                return null;
            }
            if (!tag.isEmpty()) {
                literals.add("'" + tag.replace("'", "''") + "'");
            }
        }
        return literals.isEmpty()
                ? null
                : Selector.compile(Dialect.SQL, "p.subject IN (" + String.join(", ", literals) + ")");
    }
}
