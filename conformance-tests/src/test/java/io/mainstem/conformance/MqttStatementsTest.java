package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** No statement of the standard is forgotten. */
final class MqttStatementsTest {
    private static final List<Class<?>> TESTS = List.of(
            MqttConnectStatementsTest.class,
            MqttMalformedStatementsTest.class,
            MqttPublishStatementsTest.class,
            MqttSubscribeStatementsTest.class);

    @Test
    void everyStatementHasATestOrAReason() {
        List<String> missing = new ArrayList<>(MqttStatements.all());
        missing.removeAll(tested());
        missing.removeAll(MqttStatements.withoutTest().keySet());

        assertThat(missing).isEmpty();
        assertThat(MqttStatements.withoutTest().keySet()).doesNotContainAnyElementsOf(tested());
        assertThat(MqttStatements.all()).containsAll(tested());
    }

    @Test
    void theTableOfTheDocumentationNamesTheTestsThatExist() throws IOException {
        String table = Files.readString(Path.of("../docs/conformance/mqtt.md"));

        for (Class<?> test : TESTS) {
            for (Method method : test.getDeclaredMethods()) {
                Statement statement = method.getAnnotation(Statement.class);
                if (statement != null) {
                    for (String id : statement.value()) {
                        assertThat(table)
                                .contains(id + " | " + test.getSimpleName() + "." + method.getName() + " | passed\n");
                    }
                }
            }
        }
    }

    private static List<String> tested() {
        List<String> ids = new ArrayList<>();
        for (Class<?> test : TESTS) {
            for (Method method : test.getDeclaredMethods()) {
                Statement statement = method.getAnnotation(Statement.class);
                if (statement != null) {
                    ids.addAll(List.of(statement.value()));
                }
            }
        }
        return ids;
    }
}
