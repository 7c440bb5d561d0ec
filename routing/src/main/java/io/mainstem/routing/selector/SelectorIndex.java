package io.mainstem.routing.selector;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Things by what their selectors ask for at least: one that is only true of messages whose field equals a constant is
 * found by that constant, so that a message is not tried against thousands of others [F-1]. Immutable; thread: any.
 *
 * @param <T> what has a selector
 */
public final class SelectorIndex<T> {
    private final Map<Field, Map<Object, List<T>>> byConstant = new LinkedHashMap<>();
    private final List<T> others = new ArrayList<>();

    /** @param selector of a thing; null = none */
    public SelectorIndex(List<T> things, Function<T, @Nullable Selector> selector) {
        for (T each : things) {
            Selector its = selector.apply(each);
            Required required = its == null ? null : Required.of(its.expression());
            List<T> list = required == null
                    ? others
                    : byConstant
                            .computeIfAbsent(required.field(), field -> new HashMap<>())
                            .computeIfAbsent(required.constant(), constant -> new ArrayList<>());
            list.add(each);
        }
    }

    /** Hands over each thing whose selector may match; which of them do is still to be seen. */
    public void forEachCandidate(MessageFields message, Consumer<T> action) {
        others.forEach(action);
        byConstant.forEach((field, byValue) -> {
            Object value = message.value(field);
            List<T> found = value == null ? null : byValue.get(Required.normal(value));
            if (found != null) {
                found.forEach(action);
            }
        });
    }

    /** A field must have this value, or the expression is not true. */
    private record Required(Field field, Object constant) {
        static @Nullable Required of(Expression expression) {
            if (expression instanceof Expression.And and) {
                Required left = of(and.left());
                return left != null ? left : of(and.right());
            }
            if (expression instanceof Expression.Compare compare && compare.how() == Comparison.EQUAL) {
                Required plain = of(compare.left(), compare.right());
                return plain != null ? plain : of(compare.right(), compare.left());
            }
            return null;
        }

        private static @Nullable Required of(Expression name, Expression constant) {
            return name instanceof Expression.Identifier identifier
                            && constant instanceof Expression.Literal literal
                            && (literal.value() instanceof String || literal.value() instanceof Long)
                    ? new Required(identifier.field(), literal.value())
                    : null;
        }

        /** Numbers that are equal look equal: exact and approximate ones compare. */
        static Object normal(Object value) {
            return value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1L << 53
                    ? (Object) number.longValue()
                    : value;
        }
    }
}
