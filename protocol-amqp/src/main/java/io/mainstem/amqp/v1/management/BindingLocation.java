package io.mainstem.amqp.v1.management;

import io.mainstem.amqp.v1.address.PercentCoding;
import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.TopologyView.BindingInfo;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * A binding's name in a path: {@code src=S;dstq=Q;key=K;args=A}, or {@code dste} for an exchange [mapping 5.3].
 *
 * @param args "" without arguments, else the binding's id: 128 bits, opaque to clients
 */
record BindingLocation(String source, String destination, boolean toQueue, String key, String args) {
    private static final Set<String> TO_QUEUE = Set.of("src", "dstq", "key", "args");
    private static final Set<String> TO_EXCHANGE = Set.of("src", "dste", "key", "args");

    static BindingLocation of(BindingInfo binding) {
        BindingSpec spec = binding.spec();
        String args = spec.arguments().isEmpty() ? "" : binding.id();
        return new BindingLocation(spec.source(), spec.destination(), spec.toQueue(), spec.key(), args);
    }

    static BindingLocation parse(String segment) {
        Map<String, String> parts = new LinkedHashMap<>();
        for (String part : segment.split(";", -1)) {
            int equals = part.indexOf('=');
            if (equals <= 0) {
                throw malformed(segment);
            }
            String value = part.substring(equals + 1);
            parts.put(part.substring(0, equals), Target.decoded(segment, () -> PercentCoding.decodeUnreserved(value)));
        }
        boolean toQueue = parts.keySet().equals(TO_QUEUE);
        if (!toQueue && !parts.keySet().equals(TO_EXCHANGE)) {
            throw malformed(segment);
        }
        return new BindingLocation(
                parts.getOrDefault("src", ""),
                parts.getOrDefault(toQueue ? "dstq" : "dste", ""),
                toQueue,
                parts.getOrDefault("key", ""),
                parts.getOrDefault("args", ""));
    }

    /** As a path, from the root. */
    String path() {
        return "/bindings/src=" + PercentCoding.encode(source) + (toQueue ? ";dstq=" : ";dste=")
                + PercentCoding.encode(destination) + ";key=" + PercentCoding.encode(key) + ";args=" + args;
    }

    private static RequestException malformed(String segment) {
        return RequestException.bad(
                "binding '" + segment + "' is malformed (expected: src=S;dstq=Q;key=K;args=A, or dste=X for dstq=Q)");
    }
}
