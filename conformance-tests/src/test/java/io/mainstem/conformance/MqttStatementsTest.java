package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No statement of the standards is forgotten. */
final class MqttStatementsTest {
    private static final List<Class<?>> TESTS = List.of(
            MqttAuthStatementsTest.class,
            MqttConnectStatementsTest.class,
            MqttFieldStatementsTest.class,
            MqttMalformedStatementsTest.class,
            MqttPublishStatementsTest.class,
            MqttReasonStatementsTest.class,
            MqttSubscribeStatementsTest.class,
            MqttWebSocketStatementsTest.class);

    @ParameterizedTest
    @EnumSource
    void everyStatementHasATestOrAReason(MqttStandard standard) {
        List<String> missing = new ArrayList<>(standard.all());
        missing.removeAll(tested(standard));
        missing.removeAll(standard.withoutTest().keySet());

        assertThat(missing).isEmpty();
        assertThat(standard.withoutTest().keySet()).doesNotContainAnyElementsOf(tested(standard));
        assertThat(standard.all()).containsAll(tested(standard));
        assertThat(standard.all())
                .doesNotHaveDuplicates()
                .containsAll(standard.withoutTest().keySet());
    }

    @ParameterizedTest
    @EnumSource
    void theTableOfTheDocumentationNamesTheTestsThatExist(MqttStandard standard) throws IOException {
        String page = Files.readString(Path.of("../docs/conformance/mqtt.md"));
        int begin = page.indexOf("## " + standard.title() + "\n");
        int end = page.indexOf("\n## ", begin);
        String table = page.substring(begin, end < 0 ? page.length() : end);

        for (Class<?> test : TESTS) {
            for (Method method : test.getDeclaredMethods()) {
                Statement statement = method.getAnnotation(Statement.class);
                if (statement != null) {
                    for (String id : standard.shownBy(statement)) {
                        assertThat(table)
                                .contains(id + " | " + test.getSimpleName() + "." + method.getName() + " | passed\n");
                    }
                }
            }
        }
    }

    private static List<String> tested(MqttStandard standard) {
        List<String> ids = new ArrayList<>();
        for (Class<?> test : TESTS) {
            for (Method method : test.getDeclaredMethods()) {
                Statement statement = method.getAnnotation(Statement.class);
                if (statement != null) {
                    ids.addAll(List.of(standard.shownBy(statement)));
                }
            }
        }
        return ids;
    }
}
