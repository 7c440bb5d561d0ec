package io.mainstem.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
        results.add(test, passed, statement.value());
    }

    /** Written when the run ends. */
    private static final class Results implements AutoCloseable {
        /** By statement: test to result. */
        private final Map<String, Map<String, Boolean>> byStatement = new ConcurrentSkipListMap<>();

        void add(String test, boolean passed, String... ids) {
            for (String id : ids) {
                byStatement
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
            StringBuilder text = new StringBuilder(MqttStatements.INTRODUCTION);
            text.append("statement | test | result\n---|---|---\n");
            for (String id : ordered()) {
                String reason = MqttStatements.withoutTest().get(id);
                Map<String, Boolean> tests = byStatement.getOrDefault(id, Map.of());
                if (tests.isEmpty()) {
                    text.append(id)
                            .append(" | - | ")
                            .append(reason == null ? "not run" : reason)
                            .append('\n');
                }
                new TreeMap<>(tests)
                        .forEach((test, passed) -> text.append(id)
                                .append(" | ")
                                .append(test)
                                .append(" | ")
                                .append(passed ? "passed" : "FAILED")
                                .append('\n'));
            }
            Files.writeString(file, text);
        }

        private List<String> ordered() {
            TreeSet<String> all = new TreeSet<>(MqttStatements.ORDER);
            all.addAll(MqttStatements.withoutTest().keySet());
            all.addAll(byStatement.keySet());
            return List.copyOf(all);
        }
    }
}
