package io.mainstem.routing.access;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one session was allowed to do and was refused, so that asking again costs a comparison. Peers choose the names that
 * are kept here, so the number of their characters is bounded, not that of the names alone. Thread: the session's event
 * loop.
 */
final class Decisions {
    /** Of one set: with the other, less than 200 KiB of heap a session. */
    static final int CHARACTERS_MAX = 32 * 1024;
    /** Objects, of a set entry and what is in it, take room as characters do. */
    private static final int OVERHEAD_CHARACTERS = 32;
    /** What is longer is decided each time. */
    private static final int NAME_CHARACTERS_MAX = 1024;

    private static final int LOGGED_MAX = 20;

    private final Set<Question> allowed = new HashSet<>();
    private final Set<Question> logged = new HashSet<>(0);
    private int characters;
    private @Nullable String lastExchange;
    private List<String> lastKeys = List.of();

    /** Something that somebody wants to do. */
    record Question(Action action, ObjectKind kind, String object) {}

    boolean isAllowed(Question question) {
        return allowed.contains(question);
    }

    void allow(Question question) {
        int length = question.object().length();
        if (length > NAME_CHARACTERS_MAX) {
            return;
        }
        if (characters + length + OVERHEAD_CHARACTERS > CHARACTERS_MAX) {
            allowed.clear();
            characters = 0;
        }
        if (allowed.add(question)) {
            characters += length + OVERHEAD_CHARACTERS;
        }
    }

    /** True if publishing with that address was the last thing allowed. */
    boolean isLastPublish(String exchange, List<String> keys) {
        return exchange.equals(lastExchange) && keys.equals(lastKeys);
    }

    void lastPublish(String exchange, List<String> keys) {
        boolean small =
                exchange.length() + keys.stream().mapToInt(String::length).sum() <= NAME_CHARACTERS_MAX;
        lastExchange = small ? exchange : null;
        lastKeys = small ? keys : List.of();
    }

    /** True if a refusal should be logged: for the first time, and not as one of very many. */
    boolean isNews(Question question) {
        String shown = question.object().substring(0, Math.min(question.object().length(), NAME_CHARACTERS_MAX));
        return logged.size() < LOGGED_MAX && logged.add(new Question(question.action(), question.kind(), shown));
    }

    /** Characters of names that are kept as allowed. For tests. */
    int characters() {
        return characters;
    }

    void clear() {
        allowed.clear();
        logged.clear();
        characters = 0;
        lastExchange = null;
        lastKeys = List.of();
    }
}
