package io.mainstem.routing.selector;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * A compiled filter expression (mapping 7). Equal selectors have the same dialect and text. Selectors are
 * compiled once and shared: consumers and subscriptions that come with the same text share one tree [F-1].
 *
 * <p>Limits: {@value Lexer#CHARACTERS_MAX} characters, {@value Lexer#TOKENS_MAX} words, {@value Parser#DEPTH_MAX}
 * levels. Immutable. Thread: any.
 */
public final class Selector {
    /** Characters of text in the cache, all selectors together. */
    private static final long CACHED_CHARACTERS_MAX = 1 << 20;

    private static final int CACHED_OVERHEAD_CHARACTERS = 256;

    private static final Cache<Key, Selector> CACHE = Caffeine.newBuilder()
            .maximumWeight(CACHED_CHARACTERS_MAX)
            .weigher((Key key, Selector selector) -> key.text().length() + CACHED_OVERHEAD_CHARACTERS)
            .executor(Runnable::run)
            .build();

    private final Key key;
    private final Expression expression;

    private Selector(Key key) {
        this.key = key;
        this.expression = Parser.parse(key.dialect(), key.text());
    }

    /**
     * Compiles a selector, or finds it compiled.
     *
     * @param text as the client wrote it
     * @return null if the text is empty: no selector, everything matches (JMS 3.1, 3.8.1)
     * @throws SelectorException saying where the text goes wrong, and what was expected there
     */
    public static @Nullable Selector compile(Dialect dialect, String text) {
        return text.isBlank() ? null : CACHE.get(new Key(dialect, text), Selector::new);
    }

    /** What the text is written in. */
    public Dialect dialect() {
        return key.dialect();
    }

    /** As the client wrote it. */
    public String text() {
        return key.text();
    }

    /**
     * True if the expression is true of the message; neither false nor unknown will do. Looks at no more than
     * {@value Work#STEPS_MAX} characters and bytes; what is compared beyond that is unknown.
     */
    public boolean matches(MessageFields message) {
        message.work().begin();
        return Boolean.TRUE.equals(expression.truth(message));
    }

    Expression expression() {
        return expression;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Selector selector && selector.key.equals(key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    /** Dialect and text, for people. */
    @Override
    public String toString() {
        return key.dialect() + " " + key.text();
    }

    private record Key(Dialect dialect, String text) {}
}
