package io.mainstem.conformance.jms;

import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/** The names in the untyped enumerations of the API. */
final class Enumerated {
    private Enumerated() {}

    static List<String> names(Enumeration<?> names) {
        return Collections.list(names).stream().map(String.class::cast).toList();
    }
}
