package io.mainstem.jms.amqp.login;

import java.text.Normalizer;

/** Names and passwords in the form in which brokers compare them: SASLprep's mapping and normalization (RFC 4013, 2.1, 2.2). */
final class SaslPrep {
    private static final String MAPPED_TO_NOTHING = "\u00AD\u034F\u1806\u180B\u180C\u180D\u200B\u200C\u200D\u2060"
            + "\uFE00\uFE01\uFE02\uFE03\uFE04\uFE05\uFE06\uFE07\uFE08\uFE09\uFE0A\uFE0B\uFE0C\uFE0D\uFE0E\uFE0F\uFEFF";

    private SaslPrep() {}

    /** What is prohibited stays as it is: the broker refuses it. */
    static String prepare(String text) {
        StringBuilder mapped = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (c >= 0x80 && Character.getType(c) == Character.SPACE_SEPARATOR) {
                mapped.append(' ');
            } else if (MAPPED_TO_NOTHING.indexOf(c) < 0) {
                mapped.appendCodePoint(c);
            }
        });
        return Normalizer.normalize(mapped, Normalizer.Form.NFKC);
    }
}
