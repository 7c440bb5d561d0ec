package io.mainstem.routing.selector;

import org.jspecify.annotations.Nullable;

/** Sums and products as Java promotes them; null (unknown) where one operand is no number or divides by zero. */
enum Arithmetic {
    ADD("+"),
    SUBTRACT("-"),
    MULTIPLY("*"),
    DIVIDE("/"),
    REMAINDER("%");

    private final String symbol;

    Arithmetic(String symbol) {
        this.symbol = symbol;
    }

    static @Nullable Arithmetic of(Token token) {
        if (token.kind() == Token.Kind.SYMBOL) {
            for (Arithmetic each : values()) {
                if (each.symbol.equals(token.text())) {
                    return each;
                }
            }
        }
        return null;
    }

    boolean isSum() {
        return this == ADD || this == SUBTRACT;
    }

    @Nullable
    Object of(@Nullable Object left, @Nullable Object right) {
        if (left instanceof Long a && right instanceof Long b) {
            return exact(a, b);
        }
        if (left instanceof Number a && right instanceof Number b) {
            return approximate(a.doubleValue(), b.doubleValue());
        }
        return null;
    }

    static @Nullable Object negated(@Nullable Object value) {
        if (value instanceof Long number) {
            return -number;
        }
        return value instanceof Number number ? -number.doubleValue() : null;
    }

    private @Nullable Object exact(long a, long b) {
        if (b == 0 && (this == DIVIDE || this == REMAINDER)) {
            return null;
        }
        return switch (this) {
            case ADD -> a + b;
            case SUBTRACT -> a - b;
            case MULTIPLY -> a * b;
            case DIVIDE -> a / b;
            case REMAINDER -> a % b;
        };
    }

    private Object approximate(double a, double b) {
        return switch (this) {
            case ADD -> a + b;
            case SUBTRACT -> a - b;
            case MULTIPLY -> a * b;
            case DIVIDE -> a / b;
            case REMAINDER -> a % b;
        };
    }
}
