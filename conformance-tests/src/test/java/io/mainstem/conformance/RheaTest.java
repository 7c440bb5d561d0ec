package io.mainstem.conformance;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** npm's rhea against the broker: the cases are in {@code src/test/js/cases}. */
@WithBroker
final class RheaTest {
    @TestFactory
    Stream<DynamicTest> rhea(BrokerAddress broker) throws Exception {
        return ScriptRun.tests(ForeignClient.RHEA.require(), Path.of("src/test/js/run.js"), broker);
    }
}
