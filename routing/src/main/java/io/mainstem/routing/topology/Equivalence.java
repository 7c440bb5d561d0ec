package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.QueueSpec;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeSet;

/** Whether declaring again asks for what exists. Integers compare by value, whatever their width. Thread: any. */
final class Equivalence {
    private final String object;

    private Equivalence(String object) {
        this.object = object;
    }

    /** Throws {@link ErrorKind#PRECONDITION_FAILED} naming the first difference. */
    static void check(String virtualHost, QueueSpec wanted, QueueSpec found) {
        Equivalence queue = new Equivalence("queue '" + wanted.name() + "' in virtual host '" + virtualHost + "'");
        queue.same("durable", wanted.durable(), found.durable());
        queue.same("auto-delete", wanted.autoDelete(), found.autoDelete());
        queue.same("exclusive", wanted.exclusive(), found.exclusive());
        queue.sameArguments(wanted.arguments(), found.arguments());
    }

    /** Throws {@link ErrorKind#PRECONDITION_FAILED} naming the first difference. */
    static void check(String virtualHost, ExchangeSpec wanted, ExchangeSpec found) {
        Equivalence exchange =
                new Equivalence("exchange '" + wanted.name() + "' in virtual host '" + virtualHost + "'");
        exchange.same("type", wanted.type(), found.type());
        exchange.same("durable", wanted.durable(), found.durable());
        exchange.same("auto-delete", wanted.autoDelete(), found.autoDelete());
        exchange.same("internal", wanted.internal(), found.internal());
        exchange.sameArguments(wanted.arguments(), found.arguments());
    }

    /** True if both bindings have equal arguments. */
    static boolean sameArguments(BindingSpec one, BindingSpec other) {
        return Arrays.equals(SpecCodec.identity(one.arguments()), SpecCodec.identity(other.arguments()));
    }

    private void sameArguments(Map<String, Object> wanted, Map<String, Object> found) {
        if (Arrays.equals(SpecCodec.identity(wanted), SpecCodec.identity(found))) {
            return;
        }
        TreeSet<String> names = new TreeSet<>(wanted.keySet());
        names.addAll(found.keySet());
        for (String name : names) {
            if (!Arrays.equals(one(wanted, name), one(found, name))) {
                same(
                        "argument '" + name + "'",
                        wanted.getOrDefault(name, "absent"),
                        found.getOrDefault(name, "absent"));
            }
        }
    }

    private static byte[] one(Map<String, Object> arguments, String name) {
        Object value = arguments.get(name);
        return value == null ? new byte[0] : SpecCodec.identity(Map.of(name, value));
    }

    private void same(String field, Object wanted, Object found) {
        if (!wanted.equals(found)) {
            throw new BrokerException(
                    ErrorKind.PRECONDITION_FAILED,
                    "MS-0306",
                    object + ": " + field + " wanted " + wanted + ", found " + found + ".",
                    "declare it as found, or delete it first");
        }
    }
}
