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

    /** The same sections {@code by} bytes further on. */
    public SectionOffsets shifted(int by) {
        return by == 0
                ? this
                : new SectionOffsets(
                        shifted(messageAnnotations, by),
                        shifted(properties, by),
                        shifted(applicationProperties, by),
                        shifted(body, by),
                        shifted(footer, by),
                        bodyKind);
    }

    /**
     * Where the message-annotations end and the rest, the publisher's bare message, begins.
     *
     * @param total bytes of all sections
     */
    public int afterAnnotations(int total) {
        if (properties >= 0) {
            return properties;
        }
        if (applicationProperties >= 0) {
            return applicationProperties;
        }
        if (body >= 0) {
            return body;
        }
        return footer >= 0 ? footer : total;
    }

    private static int shifted(int offset, int by) {
        return offset < 0 ? -1 : offset + by;
    }
}
