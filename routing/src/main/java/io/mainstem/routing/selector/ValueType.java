package io.mainstem.routing.selector;

/** What is known of a value before there is a message. */
enum ValueType {
    ANY("anything"),
    BOOLEAN("a condition"),
    NUMBER("a number"),
    STRING("a string"),
    BINARY("binary data"),
    UUID("a UUID");

    private final String described;

    ValueType(String described) {
        this.described = described;
    }

    /** For people. */
    String described() {
        return described;
    }
}
