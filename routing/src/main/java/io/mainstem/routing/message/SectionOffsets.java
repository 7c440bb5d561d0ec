package io.mainstem.routing.message;

/**
 * Byte offsets of the sections within {@link Message#sections()} taken as one sequence; -1 = absent [D-3].
 *
 * @param bodyKind 0x75 data, 0x76 amqp-sequence, 0x77 amqp-value, 0 = no body [M-13]
 */
public record SectionOffsets(
        int messageAnnotations, int properties, int applicationProperties, int body, int footer, int bodyKind) {
    /** No sections at all. */
    public static final SectionOffsets NONE = new SectionOffsets(-1, -1, -1, -1, -1, 0);
}
