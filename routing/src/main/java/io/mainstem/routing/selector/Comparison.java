package io.mainstem.routing.selector;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How two values relate: null (unknown) if one is, false if they are not of like type (JMS 3.1, 3.8.1.3). */
enum Comparison {
    EQUAL("="),
    NOT_EQUAL("<>"),
    LESS("<"),
    LESS_OR_EQUAL("<="),
    GREATER(">"),
    GREATER_OR_EQUAL(">=");

    /** Neither less, equal nor greater: one is not a number. */
    private static final int UNORDERED = 2;

    private final String symbol;

    Comparison(String symbol) {
        this.symbol = symbol;
    }

    static @Nullable Comparison of(Token token) {
        if (token.kind() != Token.Kind.SYMBOL) {
            return null;
        }
        for (Comparison each : values()) {
            if (each.symbol.equals(token.text())) {
                return each;
            }
        }
        return token.text().equals("!=") ? NOT_EQUAL : null;
    }

    boolean isOrder() {
        return this != EQUAL && this != NOT_EQUAL;
    }

    /** @param orderedText strings have an order, too; else they are only equal or not */
    @Nullable
    Boolean of(@Nullable Object left, @Nullable Object right, boolean orderedText) {
        if (left == null || right == null) {
            return null;
        }
        if (left instanceof Number a && right instanceof Number b) {
            return holds(order(a, b));
        }
        if (left instanceof String a && right instanceof String b && (orderedText || !isOrder())) {
            return holds(Integer.signum(a.compareTo(b)));
        }
        if (isOrder() || !alike(left, right)) {
            return false;
        }
        return equal(left, right) == (this == EQUAL);
    }

    private boolean holds(int order) {
        return switch (this) {
            case EQUAL -> order == 0;
            case NOT_EQUAL -> order != 0;
            case LESS -> order == -1;
            case LESS_OR_EQUAL -> order == -1 || order == 0;
            case GREATER -> order == 1;
            case GREATER_OR_EQUAL -> order == 1 || order == 0;
        };
    }

    private static int order(Number a, Number b) {
        if (a instanceof Long x && b instanceof Long y) {
            return Long.compare(x, y);
        }
        if (!(a instanceof Double) && !(b instanceof Double)) {
            return big(a).compareTo(big(b));
        }
        double x = a.doubleValue();
        double y = b.doubleValue();
        if (x < y) {
            return -1;
        }
        if (x > y) {
            return 1;
        }
        return x == y ? 0 : UNORDERED;
    }

    private static BigInteger big(Number number) {
        return number instanceof BigInteger big ? big : BigInteger.valueOf(number.longValue());
    }

    /** True if the values can be equal, or unequal. */
    static boolean alike(Object left, Object right) {
        return (left instanceof Number && right instanceof Number)
                || (left instanceof String && right instanceof String)
                || (left instanceof Boolean && right instanceof Boolean)
                || (left instanceof byte[] && right instanceof byte[])
                || (left instanceof UUID && right instanceof UUID);
    }

    /** Characters or bytes that a comparison may look at. */
    static int steps(@Nullable Object left, @Nullable Object right) {
        if (left instanceof String a && right instanceof String b) {
            return 1 + Math.min(a.length(), b.length());
        }
        return left instanceof byte[] a && right instanceof byte[] b ? 1 + Math.min(a.length, b.length) : 1;
    }

    private static boolean equal(Object left, Object right) {
        if (left instanceof byte[] a && right instanceof byte[] b) {
            return Arrays.equals(a, b);
        }
        return left.equals(right);
    }
}
