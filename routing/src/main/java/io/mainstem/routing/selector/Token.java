package io.mainstem.routing.selector;

/**
 * A word of a selector.
 *
 * @param text as written; of strings and quoted names without quotes
 * @param position index of its first character
 */
record Token(Kind kind, String text, int position) {
    enum Kind {
        /** Letters; may be a keyword. */
        NAME,
        /** A name in quotes or brackets; never a keyword. */
        QUOTED_NAME,
        STRING,
        INTEGER,
        REAL,
        BINARY,
        SYMBOL,
        END
    }

    boolean isSymbol(String symbol) {
        return kind == Kind.SYMBOL && text.equals(symbol);
    }

    /** Keywords are the same in any case. */
    boolean isKeyword(String keyword) {
        return kind == Kind.NAME && text.equalsIgnoreCase(keyword);
    }

    /** For people. */
    String described() {
        return switch (kind) {
            case END -> "end of text";
            case STRING -> "'" + text + "'";
            case QUOTED_NAME -> '"' + text + '"';
            default -> text;
        };
    }
}
