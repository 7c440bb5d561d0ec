package io.mainstem.routing.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Declared objects on disk. */
final class SpecCodecTest {
    private static BindingSpec binding(Object argument) {
        return new BindingSpec("headers", "q", true, "", Map.of("n", argument));
    }

    @Test
    @DisplayName("[R-2] arguments come back from disk with the types they had")
    void typesAreKept() {
        Map<String, Object> arguments = new HashMap<>();
        arguments.put("int", 5);
        arguments.put("long", 5L);
        arguments.put("short", (short) 5);
        arguments.put("byte", (byte) 5);
        arguments.put("negative", -5);
        arguments.put("double", 0.1);
        arguments.put("float", 0.1f);
        arguments.put("text", "5");
        arguments.put("flag", true);
        arguments.put("void", BindingSpec.VOID);
        BindingSpec spec = new BindingSpec("headers", "q", true, "", arguments);

        BindingSpec read = SpecCodec.decodeBinding(SpecCodec.encode(spec));

        assertThat(read.arguments()).isEqualTo(arguments);
    }

    @Test
    @DisplayName("[A-2], [R-2] numbers of any width are one binding if their value is the same")
    void identityIsByValue() {
        BindingId id = BindingId.of(binding(5L));
        for (Object same : List.of(5, (short) 5, (byte) 5)) {
            assertThat(BindingId.of(binding(same))).isEqualTo(id);
        }
        assertThat(BindingId.of(binding(0.5f))).isEqualTo(BindingId.of(binding(0.5)));
        assertThat(BindingId.of(binding("5"))).isNotEqualTo(id);
        assertThat(BindingId.of(binding(6))).isNotEqualTo(id);
    }
}
