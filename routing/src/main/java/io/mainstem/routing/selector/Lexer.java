package io.mainstem.routing.selector;

import java.util.ArrayList;
import java.util.List;

/** Cuts a selector into tokens, within the limits of [F-1]. Thread: one. */
final class Lexer {
    static final int CHARACTERS_MAX = 4096;
    static final int TOKENS_MAX = 200;

    private final Dialect dialect;
    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    private Lexer(Dialect dialect, String text) {
        this.dialect = dialect;
        this.text = text;
    }

    /** The tokens, {@link Token.Kind#END} last. */
    static List<Token> tokens(Dialect dialect, String text) {
        if (text.length() > CHARACTERS_MAX) {
            throw new SelectorException(
                    text, CHARACTERS_MAX, text.length() + " characters", "at most " + CHARACTERS_MAX);
        }
        Lexer lexer = new Lexer(dialect, text);
        while (lexer.skipSpace()) {
            if (lexer.tokens.size() == TOKENS_MAX) {
                throw new SelectorException(text, lexer.at, "one more word", "at most " + TOKENS_MAX + " words");
            }
            lexer.tokens.add(lexer.next());
        }
        lexer.tokens.add(new Token(Token.Kind.END, "", text.length()));
        return lexer.tokens;
    }

    private boolean skipSpace() {
        while (at < text.length() && isSpace(text.charAt(at))) {
            at++;
        }
        return at < text.length();
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    }

    private Token next() {
        int from = at;
        char c = text.charAt(at);
        if (c == '\'') {
            return new Token(Token.Kind.STRING, quoted('\''), from);
        }
        if (c == '"') {
            Token.Kind kind = dialect == Dialect.SQL ? Token.Kind.STRING : Token.Kind.QUOTED_NAME;
            return new Token(kind, quoted('"'), from);
        }
        if (c == '[' && dialect == Dialect.SQL) {
            return new Token(Token.Kind.QUOTED_NAME, quoted(']'), from);
        }
        if (isDigit(c) || (c == '.' && at + 1 < text.length() && isDigit(text.charAt(at + 1)))) {
            return number();
        }
        if (Character.isJavaIdentifierStart(text.codePointAt(at))) {
            return name();
        }
        return symbol(c);
    }

    /** What stands between the quote at the current place and {@code end}; a doubled end stands for itself. */
    private String quoted(char end) {
        int from = at++;
        StringBuilder content = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c != end) {
                content.append(c);
            } else if (at < text.length() && text.charAt(at) == end) {
                content.append(end);
                at++;
            } else {
                return content.toString();
            }
        }
        throw new SelectorException(
                text, text.length(), "end of text", "the end (" + end + ") of what begins at character " + (from + 1));
    }

    private Token name() {
        int from = at;
        while (at < text.length() && Character.isJavaIdentifierPart(text.codePointAt(at))) {
            at += Character.charCount(text.codePointAt(at));
        }
        return new Token(Token.Kind.NAME, text.substring(from, at), from);
    }

    private Token number() {
        int from = at;
        if (text.charAt(at) == '0' && at + 1 < text.length() && (text.charAt(at + 1) | 0x20) == 'x') {
            at += 2;
            while (at < text.length() && Character.digit(text.charAt(at), 16) >= 0) {
                at++;
            }
            if (dialect == Dialect.SQL) {
                return ended(new Token(Token.Kind.BINARY, text.substring(from + 2, at), from));
            }
            skipSuffix("lL");
            return ended(new Token(Token.Kind.INTEGER, text.substring(from, at), from));
        }
        skipDigits();
        boolean real = false;
        if (at < text.length() && text.charAt(at) == '.') {
            real = true;
            at++;
            skipDigits();
        }
        real |= skipExponent();
        real |= skipSuffix("fFdD");
        if (!real) {
            skipSuffix("lL");
        }
        return ended(new Token(real ? Token.Kind.REAL : Token.Kind.INTEGER, text.substring(from, at), from));
    }

    private void skipDigits() {
        while (at < text.length() && isDigit(text.charAt(at))) {
            at++;
        }
    }

    private boolean skipExponent() {
        if (at == text.length() || (text.charAt(at) | 0x20) != 'e') {
            return false;
        }
        int before = at++;
        if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
            at++;
        }
        int digits = at;
        skipDigits();
        if (at == digits) {
            throw new SelectorException(
                    text,
                    at,
                    at == text.length() ? "end of text" : text.substring(at, at + 1),
                    "digits of an exponent" + " (it begins at character " + (before + 1) + ")");
        }
        return true;
    }

    private boolean skipSuffix(String suffixes) {
        if (at < text.length() && suffixes.indexOf(text.charAt(at)) >= 0) {
            at++;
            return true;
        }
        return false;
    }

    /** A number must not run into a name. */
    private Token ended(Token number) {
        if (at < text.length() && Character.isJavaIdentifierPart(text.codePointAt(at))) {
            throw new SelectorException(
                    text, at, text.substring(at, text.offsetByCodePoints(at, 1)), "the end of number " + number.text());
        }
        return number;
    }

    private Token symbol(char c) {
        int from = at;
        String two = text.substring(at, Math.min(text.length(), at + 2));
        boolean isTwo = two.equals("<>")
                || two.equals("<=")
                || two.equals(">=")
                || (two.equals("!=") && dialect == Dialect.SQL);
        String symbols = dialect == Dialect.SQL ? "=<>+-*/%(),." : "=<>+-*/(),.";
        if (!isTwo && symbols.indexOf(c) < 0) {
            throw new SelectorException(
                    text,
                    from,
                    "'" + text.substring(at, text.offsetByCodePoints(at, 1)) + "'",
                    dialect == Dialect.JMS
                            ? "a value, a name (unusual ones in \"double quotes\") or an operator"
                            : "a value, a name (unusual ones in [brackets]) or an operator");
        }
        at += isTwo ? 2 : 1;
        return new Token(Token.Kind.SYMBOL, text.substring(from, at), from);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
