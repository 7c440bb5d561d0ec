package io.mainstem.routing.selector;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * Makes a syntax tree of tokens, by precedence climbing (Pratt). What can never be true of any message because of its
 * types, such as {@code 'a' + 1}, is refused. Thread: one.
 */
final class Parser {
    static final int DEPTH_MAX = 64;

    private static final int OR = 1;
    private static final int AND = 2;
    private static final int NOT = 3;
    private static final int COMPARISON = 4;
    private static final int SUM = 5;
    private static final int PRODUCT = 6;
    private static final int SIGN = 7;

    private static final Set<String> KEYWORDS =
            Set.of("AND", "OR", "NOT", "BETWEEN", "IN", "LIKE", "ESCAPE", "IS", "NULL", "TRUE", "FALSE");

    private final Dialect dialect;
    private final String text;
    private final List<Token> tokens;
    private int next;
    private int depth;

    private Parser(Dialect dialect, String text) {
        this.dialect = dialect;
        this.text = text;
        this.tokens = Lexer.tokens(dialect, text);
    }

    /** @throws SelectorException saying where and why not */
    static Expression parse(Dialect dialect, String text) {
        Parser parser = new Parser(dialect, text);
        Expression whole = parser.operand(OR, ValueType.BOOLEAN);
        if (parser.peek().kind() != Token.Kind.END) {
            throw parser.expected("AND, OR or the end");
        }
        return whole;
    }

    // ---- precedence ------------------------------------------------------------------------------------------

    /** An expression whose operators bind at least as tightly as {@code binding}, of the type. */
    private Expression operand(int binding, ValueType wanted) {
        int from = next;
        Expression expression = expression(binding);
        check(expression, wanted, from);
        return expression;
    }

    private Expression expression(int binding) {
        int from = next;
        Expression left = prefix(binding);
        boolean compared = false;
        for (int power = power(peek()); power >= binding; power = power(peek())) {
            if (power == COMPARISON && compared) {
                throw expected("AND, OR or the end; a comparison of a comparison needs parentheses");
            }
            compared |= power == COMPARISON;
            left = infix(left, from, power);
        }
        return left;
    }

    private static int power(Token token) {
        if (token.isKeyword("OR")) {
            return OR;
        }
        if (token.isKeyword("AND")) {
            return AND;
        }
        Arithmetic arithmetic = Arithmetic.of(token);
        if (arithmetic != null) {
            return arithmetic.isSum() ? SUM : PRODUCT;
        }
        boolean comparison = Comparison.of(token) != null
                || token.isKeyword("NOT")
                || token.isKeyword("BETWEEN")
                || token.isKeyword("IN")
                || token.isKeyword("LIKE")
                || token.isKeyword("IS");
        return comparison ? COMPARISON : 0;
    }

    private Expression infix(Expression left, int from, int power) {
        Token operator = peek();
        if (power == COMPARISON) {
            return comparison(left, from);
        }
        take();
        if (power == OR || power == AND) {
            check(left, ValueType.BOOLEAN, from);
            Expression right = operand(power + 1, ValueType.BOOLEAN);
            return power == OR ? new Expression.Or(left, right) : new Expression.And(left, right);
        }
        check(left, ValueType.NUMBER, from);
        Arithmetic how = Arithmetic.of(operator);
        Expression right = operand(power + 1, ValueType.NUMBER);
        return new Expression.Calculate(how == null ? Arithmetic.ADD : how, left, right);
    }

    private Expression prefix(int binding) {
        Token token = peek();
        if (token.isKeyword("NOT")) {
            if (binding > NOT) {
                throw expected("a value; NOT needs parentheses here");
            }
            descend();
            Expression not = new Expression.Not(operand(NOT, ValueType.BOOLEAN));
            depth--;
            return not;
        }
        if (token.isSymbol("-") || token.isSymbol("+")) {
            return signed();
        }
        if (token.isSymbol("(")) {
            descend();
            Expression inner = expression(OR);
            symbol(")");
            depth--;
            return inner;
        }
        return primary();
    }

    private Expression signed() {
        boolean minus = peek().isSymbol("-");
        descend();
        Expression value;
        if (minus && peek().kind() == Token.Kind.INTEGER) {
            value = new Expression.Literal(integer(take(), true));
        } else {
            Expression operand = operand(SIGN, ValueType.NUMBER);
            value = minus ? new Expression.Negate(operand) : operand;
        }
        depth--;
        return value;
    }

    /** Takes the token that opens one more level. */
    private void descend() {
        if (++depth > DEPTH_MAX) {
            throw expected("at most " + DEPTH_MAX + " levels of parentheses, NOT and signs");
        }
        take();
    }

    // ---- comparisons -----------------------------------------------------------------------------------------

    private Expression comparison(Expression left, int from) {
        Comparison how = Comparison.of(peek());
        if (how != null) {
            return compare(how, left, from);
        }
        Token operator = take();
        if (operator.isKeyword("IS")) {
            boolean not = takeIf("NOT");
            keyword("NULL");
            Expression isNull = new Expression.IsNull(left);
            return not ? new Expression.Not(isNull) : isNull;
        }
        boolean not = operator.isKeyword("NOT");
        if (not) {
            operator = peek();
            if (power(operator) != COMPARISON
                    || Comparison.of(operator) != null
                    || operator.isKeyword("IS")
                    || operator.isKeyword("NOT")) {
                throw expected("BETWEEN, IN or LIKE");
            }
            take();
        }
        if (operator.isKeyword("BETWEEN")) {
            return between(left, from, not);
        }
        return operator.isKeyword("IN") ? in(left, from, not) : like(left, from, not);
    }

    private Expression compare(Comparison how, Expression left, int from) {
        take();
        int rightFrom = next;
        Expression right = expression(SUM);
        if (how.isOrder()) {
            checkOrdered(left, from);
            checkOrdered(right, rightFrom);
        }
        checkAlike(left, right, rightFrom);
        return new Expression.Compare(how, left, right, dialect == Dialect.SQL);
    }

    /** As its definition by two comparisons, also where types differ (JMS 3.1, 3.8.1.1). */
    private Expression between(Expression value, int from, boolean not) {
        boolean ordered = dialect == Dialect.SQL;
        checkOrdered(value, from);
        int lowFrom = next;
        Expression low = expression(SUM);
        checkOrdered(low, lowFrom);
        checkAlike(value, low, lowFrom);
        keyword("AND");
        int highFrom = next;
        Expression high = expression(SUM);
        checkOrdered(high, highFrom);
        checkAlike(value, high, highFrom);
        return not
                ? new Expression.Or(
                        new Expression.Compare(Comparison.LESS, value, low, ordered),
                        new Expression.Compare(Comparison.GREATER, value, high, ordered))
                : new Expression.And(
                        new Expression.Compare(Comparison.GREATER_OR_EQUAL, value, low, ordered),
                        new Expression.Compare(Comparison.LESS_OR_EQUAL, value, high, ordered));
    }

    private Expression in(Expression value, int from, boolean not) {
        if (dialect == Dialect.JMS) {
            check(value, ValueType.STRING, from);
        }
        symbol("(");
        List<Object> values = new ArrayList<>();
        do {
            int valueFrom = next;
            Object each = inValue();
            checkAlike(value, new Expression.Literal(each), valueFrom);
            values.add(each);
        } while (takeIfSymbol(","));
        symbol(")");
        return new Expression.In(value, List.copyOf(values), not);
    }

    private Object inValue() {
        if (dialect == Dialect.JMS || peek().kind() == Token.Kind.STRING) {
            return string();
        }
        int from = next;
        if (expression(SUM) instanceof Expression.Literal literal) {
            return literal.value();
        }
        next = from;
        throw expected("a literal");
    }

    private Expression like(Expression value, int from, boolean not) {
        check(value, ValueType.STRING, from);
        Token pattern = peek();
        String like = string();
        int escape = -1;
        if (takeIf("ESCAPE")) {
            Token token = peek();
            String character = string();
            if (character.codePointCount(0, character.length()) != 1) {
                throw new SelectorException(text, token.position(), token.described(), "a string of one character");
            }
            escape = character.codePointAt(0);
        }
        try {
            return new Expression.Like(value, LikePattern.of(like, escape), not);
        } catch (LikePattern.Unusable unusable) {
            throw new SelectorException(
                    text, pattern.position(), pattern.described(), String.valueOf(unusable.getMessage()));
        }
    }

    // ---- values ----------------------------------------------------------------------------------------------

    private Expression primary() {
        Token token = peek();
        switch (token.kind()) {
            case STRING -> {
                return new Expression.Literal(take().text());
            }
            case INTEGER -> {
                return new Expression.Literal(integer(take(), false));
            }
            case REAL -> {
                return new Expression.Literal(Double.valueOf(take().text()));
            }
            case BINARY -> {
                return new Expression.Literal(binary(take()));
            }
            case QUOTED_NAME -> {
                return new Expression.Identifier(quotedName(take()));
            }
            case NAME -> {
                return named(token);
            }
            default -> throw expected("a value or a name");
        }
    }

    private Expression named(Token token) {
        if (token.isKeyword("TRUE") || token.isKeyword("FALSE")) {
            take();
            return new Expression.Literal(token.isKeyword("TRUE"));
        }
        if (isKeyword(token)) {
            throw expected(
                    token.isKeyword("NULL")
                            ? "a value or a name; write IS NULL to test for NULL"
                            : "a value or a name");
        }
        if (dialect == Dialect.SQL && tokens.get(next + 1).isSymbol("(")) {
            return call(take());
        }
        return new Expression.Identifier(field(take()));
    }

    private Expression call(Token function) {
        symbol("(");
        Expression call = switch (function.text().toUpperCase(Locale.ROOT)) {
            case "UTC" -> new Expression.Now();
            case "EXISTS" -> new Expression.Exists(existing());
            case "UUID" -> new Expression.Literal(uuid());
            default ->
                throw new SelectorException(
                        text, function.position(), function.text() + "(", "UTC(), EXISTS(name) or UUID('text')");
        };
        symbol(")");
        return call;
    }

    private Field existing() {
        Token name = take();
        if (name.kind() == Token.Kind.QUOTED_NAME) {
            return quotedName(name);
        }
        if (name.kind() != Token.Kind.NAME || isKeyword(name)) {
            next--;
            throw expected("a name");
        }
        return field(name);
    }

    private UUID uuid() {
        Token token = peek();
        String value = string();
        try {
            return UUID.fromString(value);
        } catch (IllegalArgumentException notOne) {
            throw new SelectorException(text, token.position(), token.described(), "a UUID");
        }
    }

    /** What a bare name stands for, or what {@code section.name} does. */
    private Field field(Token name) {
        if (!peek().isSymbol(".")) {
            return dialect == Dialect.JMS ? Field.ofJms(name.text()) : new Field.Property(name.text());
        }
        boolean known = dialect == Dialect.SQL || name.text().equals("m");
        if (!known) {
            throw expected("an operator or the end; a name with dots needs \"double quotes\"");
        }
        take();
        Token member = take();
        if (member.kind() != Token.Kind.NAME && member.kind() != Token.Kind.QUOTED_NAME) {
            next--;
            throw expected("a name");
        }
        Field field = Field.ofSection(name.text(), member.text());
        if (field == null) {
            throw new SelectorException(
                    text,
                    name.position(),
                    name.text() + "." + member.text(),
                    "a field of header (h.) or properties (p.) such as p.subject, an application property (a.) or a "
                            + "message annotation (m.)");
        }
        return field;
    }

    private Field quotedName(Token name) {
        String quoted = name.text();
        if (dialect == Dialect.JMS) {
            return quoted.startsWith("m.") ? new Field.Annotation(quoted.substring(2)) : Field.ofJms(quoted);
        }
        return new Field.Property(quoted);
    }

    /** Java's integer literals: decimal, 0x hexadecimal, 0 octal (JMS 3.1, 3.8.1.1). */
    private Long integer(Token token, boolean negative) {
        String digits = token.text();
        if (digits.endsWith("l") || digits.endsWith("L")) {
            digits = digits.substring(0, digits.length() - 1);
        }
        try {
            if (digits.startsWith("0x") || digits.startsWith("0X")) {
                long bits = Long.parseUnsignedLong(digits.substring(2), 16);
                return negative ? -bits : bits;
            }
            boolean octal = dialect == Dialect.JMS && digits.length() > 1 && digits.startsWith("0");
            return Long.parseLong(negative ? "-" + digits : digits, octal ? 8 : 10);
        } catch (NumberFormatException notOne) {
            throw new SelectorException(text, token.position(), token.text(), "an integer of at most 64 bits");
        }
    }

    private byte[] binary(Token token) {
        try {
            return HexFormat.of().parseHex(token.text());
        } catch (IllegalArgumentException odd) {
            throw new SelectorException(
                    text, token.position(), "0x" + token.text(), "an even number of hexadecimal digits");
        }
    }

    // ---- types -----------------------------------------------------------------------------------------------

    private void check(Expression expression, ValueType wanted, int from) {
        ValueType type = expression.type();
        if (type != ValueType.ANY && type != wanted) {
            Token token = tokens.get(from);
            throw new SelectorException(text, token.position(), type.described(), wanted.described());
        }
    }

    /** Strings have an order in SQL only, truth values nowhere (JMS 3.1, 3.8.1.3). */
    private void checkOrdered(Expression expression, int from) {
        if (dialect == Dialect.JMS || expression.type() != ValueType.STRING) {
            check(expression, ValueType.NUMBER, from);
        }
    }

    /** Two values whose types are known and unlike are neither equal nor unequal, whatever the message (JMS 3.1, 3.8.1.3). */
    private void checkAlike(Expression left, Expression right, int rightFrom) {
        if (left.type() != ValueType.ANY) {
            check(right, left.type(), rightFrom);
        }
    }

    // ---- tokens ----------------------------------------------------------------------------------------------

    private Token peek() {
        return tokens.get(next);
    }

    private Token take() {
        Token token = tokens.get(next);
        if (token.kind() == Token.Kind.END) {
            throw expected("more");
        }
        next++;
        return token;
    }

    private boolean takeIf(String keyword) {
        boolean there = peek().isKeyword(keyword);
        next += there ? 1 : 0;
        return there;
    }

    private boolean takeIfSymbol(String symbol) {
        boolean there = peek().isSymbol(symbol);
        next += there ? 1 : 0;
        return there;
    }

    private void keyword(String keyword) {
        if (!takeIf(keyword)) {
            throw expected(keyword);
        }
    }

    private void symbol(String symbol) {
        if (!takeIfSymbol(symbol)) {
            throw expected(symbol);
        }
    }

    private String string() {
        if (peek().kind() != Token.Kind.STRING) {
            throw expected("a 'string'");
        }
        return take().text();
    }

    private static boolean isKeyword(Token token) {
        return KEYWORDS.contains(token.text().toUpperCase(Locale.ROOT));
    }

    private SelectorException expected(String what) {
        Token found = peek();
        return new SelectorException(text, found.position(), found.described(), what);
    }
}
