package io.mainstem.benchmarks.amqp;

import io.mainstem.benchmarks.amqp.WireReader.Described;
import org.jspecify.annotations.Nullable;

/**
 * One performative as it came.
 *
 * @param values may be shorter than the specification's list: fields at the end may be left out
 */
record Fields(int performative, @Nullable Object[] values) {
    @Nullable
    Object get(int field) {
        return field < values.length ? values[field] : null;
    }

    long number(int field, long otherwise) {
        return get(field) instanceof Long number ? number : otherwise;
    }

    boolean flag(int field) {
        return get(field) instanceof Boolean flag && flag;
    }

    /** Descriptor of an outcome, source or the like; -1 if there is none. */
    int descriptor(int field) {
        return get(field) instanceof Described described ? described.code() : -1;
    }

    /** The error that a detach, end or close carries, for people; empty if there is none. */
    String error(int field) {
        if (get(field) instanceof Described described && described.value() instanceof Object[] parts) {
            return (parts.length > 0 ? parts[0] : "error") + (parts.length > 1 ? ": " + parts[1] : "");
        }
        return "";
    }
}
