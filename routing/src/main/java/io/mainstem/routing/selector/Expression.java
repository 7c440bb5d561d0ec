package io.mainstem.routing.selector;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A node of a selector's syntax tree. Immutable, any thread. Null is SQL's NULL, and among truth values its unknown
 * (JMS 3.1, 3.8.1.2).
 */
sealed interface Expression {
    ValueType type();

    @Nullable
    Object value(MessageFields message);

    /** The value as a truth value: what is none is unknown. */
    default @Nullable Boolean truth(MessageFields message) {
        return value(message) instanceof Boolean truth ? truth : null;
    }

    record Literal(Object value) implements Expression {
        @Override
        public ValueType type() {
            if (value instanceof Number) {
                return ValueType.NUMBER;
            }
            if (value instanceof String) {
                return ValueType.STRING;
            }
            if (value instanceof UUID) {
                return ValueType.UUID;
            }
            return value instanceof Boolean ? ValueType.BOOLEAN : ValueType.BINARY;
        }

        @Override
        public Object value(MessageFields message) {
            return value;
        }
    }

    record Identifier(Field field) implements Expression {
        @Override
        public ValueType type() {
            return ValueType.ANY;
        }

        @Override
        public @Nullable Object value(MessageFields message) {
            return message.value(field);
        }
    }

    /** {@code UTC()}: the present time, epoch ms. */
    record Now() implements Expression {
        @Override
        public ValueType type() {
            return ValueType.NUMBER;
        }

        @Override
        public Object value(MessageFields message) {
            return message.nowMs();
        }
    }

    record And(Expression left, Expression right) implements Truth {
        @Override
        public @Nullable Boolean value(MessageFields message) {
            Boolean first = left.truth(message);
            if (Boolean.FALSE.equals(first)) {
                return false;
            }
            Boolean second = right.truth(message);
            return Boolean.FALSE.equals(second) ? second : first == null ? null : second;
        }
    }

    record Or(Expression left, Expression right) implements Truth {
        @Override
        public @Nullable Boolean value(MessageFields message) {
            Boolean first = left.truth(message);
            if (Boolean.TRUE.equals(first)) {
                return true;
            }
            Boolean second = right.truth(message);
            return Boolean.TRUE.equals(second) ? second : first == null ? null : second;
        }
    }

    record Not(Expression operand) implements Truth {
        @Override
        public @Nullable Boolean value(MessageFields message) {
            Boolean truth = operand.truth(message);
            return truth == null ? null : !truth;
        }
    }

    /** @param orderedText strings have an order: SQL, but not JMS */
    record Compare(Comparison how, Expression left, Expression right, boolean orderedText) implements Truth {
        @Override
        public @Nullable Boolean value(MessageFields message) {
            Object a = left.value(message);
            Object b = right.value(message);
            return message.work().spend(Comparison.steps(a, b)) ? how.of(a, b, orderedText) : null;
        }
    }

    /**
     * One of these strings, numbers or truth values.
     *
     * @param not none of them, yet of the type of one: values of unlike type are not unequal either
     */
    record In(Expression operand, List<Object> values, boolean not) implements Truth {
        @Override
        public @Nullable Boolean value(MessageFields message) {
            Object value = operand.value(message);
            if (value == null) {
                return null;
            }
            boolean like = false;
            for (Object each : values) {
                if (!message.work().spend(Comparison.steps(value, each))) {
                    return null;
                }
                if (Boolean.TRUE.equals(Comparison.EQUAL.of(value, each, false))) {
                    return !not;
                }
                like |= Comparison.alike(value, each);
            }
            return not && like;
        }
    }

    /** @param not a string that does not match: other values are neither like nor unlike a pattern */
    record Like(Expression operand, LikePattern pattern, boolean not) implements Truth {
        @Override
        public @Nullable Boolean value(MessageFields message) {
            Object value = operand.value(message);
            if (value == null) {
                return null;
            }
            if (!(value instanceof String text)) {
                return false;
            }
            Boolean matches = pattern.matches(text, message.work());
            return matches == null ? null : matches != not;
        }
    }

    record IsNull(Expression operand) implements Truth {
        @Override
        public Boolean value(MessageFields message) {
            return operand.value(message) == null;
        }
    }

    /** {@code EXISTS(name)}: there, with whatever value. */
    record Exists(Field field) implements Truth {
        @Override
        public Boolean value(MessageFields message) {
            return message.has(field);
        }
    }

    record Calculate(Arithmetic how, Expression left, Expression right) implements Expression {
        @Override
        public ValueType type() {
            return ValueType.NUMBER;
        }

        @Override
        public @Nullable Object value(MessageFields message) {
            return how.of(left.value(message), right.value(message));
        }
    }

    record Negate(Expression operand) implements Expression {
        @Override
        public ValueType type() {
            return ValueType.NUMBER;
        }

        @Override
        public @Nullable Object value(MessageFields message) {
            return Arithmetic.negated(operand.value(message));
        }
    }

    /** Gives a truth value. */
    sealed interface Truth extends Expression {
        @Override
        default ValueType type() {
            return ValueType.BOOLEAN;
        }

        @Override
        @Nullable
        Boolean value(MessageFields message);

        @Override
        default @Nullable Boolean truth(MessageFields message) {
            return value(message);
        }
    }
}
