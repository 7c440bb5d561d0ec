package io.mainstem.routing.selector;

import java.io.Serial;

/** A selector that cannot be understood: where it went wrong and what was expected there. */
public final class SelectorException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final int position;
    private final String expected;

    SelectorException(String text, int position, String found, String expected) {
        super(
                "MS-0350 selector not understood at character " + (position + 1) + ": found " + found + ", expected "
                        + expected + ". fix: correct the selector: " + excerpt(text, position),
                null,
                false,
                false);
        this.position = position;
        this.expected = expected;
    }

    /** Index of the first character that does not fit, from 0; the text's length if it ends too early. */
    public int position() {
        return position;
    }

    /** What would have fitted there. */
    public String expected() {
        return expected;
    }

    /** The text around the position, with a mark before it. */
    private static String excerpt(String text, int position) {
        int at = Math.min(position, text.length());
        int from = Math.max(0, at - 40);
        int to = Math.min(text.length(), at + 40);
        return (from > 0 ? "..." : "") + text.substring(from, at) + " >>> " + text.substring(at, to)
                + (to < text.length() ? "..." : "");
    }
}
