package io.mainstem.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Writes the table of statements, tests and results when all tests have run: to {@code target/mqtt-statements.md}, and
 * with {@code -Dmainstem.conformance.table=FILE} there.
 */
final class StatementTable implements AfterTestExecutionCallback {
    private static final String INTRODUCTION = """
            # MQTT, statement by statement

            Made by the test run. Each test speaks to the broker byte by byte, and runs against any broker:

            ```
            mvn -o -Pfast -pl conformance-tests -am test -Dsurefire.failIfNoSpecifiedTests=false -Dtest='Mqtt*StatementsTest' \\
                -Dmainstem.conformance.mqtt.host=H -Dmainstem.conformance.mqtt.port=P \\
                -Dmainstem.conformance.mqtt.user=U -Dmainstem.conformance.mqtt.password=W
            ```

            The user, with whom the tests of AUTH log in by SCRAM-SHA-256, may be left out; so may host and port, then this broker
            is started. `-Dmainstem.conformance.table=docs/conformance/mqtt.md` writes this page. Statements about clients alone
            are listed without a test. A test fails if a statement of the standards is missing.
            """;

    private static final Namespace NAMESPACE = Namespace.create(StatementTable.class);

    @Override
    public void afterTestExecution(ExtensionContext context) {
        Statement statement = context.getRequiredTestMethod().getAnnotation(Statement.class);
        if (statement == null) {
            return;
        }
        String test = context.getRequiredTestClass().getSimpleName() + "."
                + context.getRequiredTestMethod().getName();
        boolean passed = context.getExecutionException().isEmpty();
        Results results = context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent("results", key -> new Results(), Results.class);
        for (MqttStandard standard : MqttStandard.values()) {
            results.add(standard, test, passed, standard.shownBy(statement));
        }
    }

    /** Written when the run ends. */
    private static final class Results implements AutoCloseable {
        /** By standard and statement: test to result. */
        private final Map<MqttStandard, Map<String, Map<String, Boolean>>> all = new ConcurrentSkipListMap<>();

        void add(MqttStandard standard, String test, boolean passed, String... ids) {
            for (String id : ids) {
                all.computeIfAbsent(standard, key -> new ConcurrentSkipListMap<>())
                        .computeIfAbsent(id, key -> new ConcurrentSkipListMap<>())
                        .merge(test, passed, Boolean::logicalAnd);
            }
        }

        @Override
        public void close() throws IOException {
            Files.createDirectories(Path.of("target"));
            write(Path.of("target/mqtt-statements.md"));
            String file = System.getProperty("mainstem.conformance.table");
            if (file != null) {
                write(Path.of(file));
            }
        }

        private void write(Path file) throws IOException {
            StringBuilder text = new StringBuilder(INTRODUCTION);
            for (MqttStandard standard : MqttStandard.values()) {
                text.append("\n## ").append(standard.title()).append("\n\nstatement | test | result\n---|---|---\n");
                write(text, standard, all.getOrDefault(standard, Map.of()));
            }
            Files.writeString(file, text);
        }

        private static void write(
                StringBuilder text, MqttStandard standard, Map<String, Map<String, Boolean>> byStatement) {
            TreeSet<String> ids = new TreeSet<>(MqttStandard.ORDER);
            ids.addAll(standard.all());
            for (String id : ids) {
                Map<String, Boolean> tests = byStatement.getOrDefault(id, Map.of());
                if (tests.isEmpty()) {
                    line(text, id, "-", standard.withoutTest().getOrDefault(id, "not run"));
                }
                new TreeMap<>(tests).forEach((test, passed) -> line(text, id, test, passed ? "passed" : "FAILED"));
            }
        }

        private static void line(StringBuilder text, String id, String test, String result) {
            text.append(id)
                    .append(" | ")
                    .append(test)
                    .append(" | ")
                    .append(result)
                    .append('\n');
        }
    }
}
