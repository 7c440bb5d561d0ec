package io.mainstem.routing.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("AMQP 1.0 part 3, 3.2.4: group-id")
final class GroupIdsTest {
    private static String of(List<?> properties) {
        return GroupIds.of(new Messages().section(0x73, properties).message());
    }

    @Test
    @DisplayName("is the eleventh field of properties, whatever stands before it and however long the list is")
    void eleventhField() {
        List<Object> fields = new ArrayList<>(Arrays.asList("id", new byte[3], "to", null, null, 7L, "x".repeat(300)));
        fields.addAll(Arrays.asList(null, null, null, "group"));

        assertThat(of(fields)).isEqualTo("group");
        fields.add(3L);
        assertThat(of(fields)).isEqualTo("group");
    }

    @Test
    @DisplayName("absent, empty or no text: none")
    void none() {
        assertThat(GroupIds.of(Messages.empty())).isNull();
        assertThat(of(List.of())).isNull();
        assertThat(of(Arrays.asList(null, null, null, null, null, null, null, null, null, 5L)))
                .isNull();
        assertThat(of(Arrays.asList(null, null, null, null, null, null, null, null, null, null, "")))
                .isNull();
        assertThat(of(Arrays.asList(null, null, null, null, null, null, null, null, null, null, 5L)))
                .isNull();
    }
}
