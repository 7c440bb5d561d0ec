package io.mainstem.conformance;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** python3-qpid-proton against the broker: the cases are in {@code src/test/python}. */
@WithBroker
final class ProtonTest {
    @TestFactory
    Stream<DynamicTest> proton(BrokerAddress broker) throws Exception {
        return ScriptRun.tests(ForeignClient.PROTON.require(), Path.of("src/test/python/run.py"), broker);
    }
}
