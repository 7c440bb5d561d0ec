package io.mainstem.transport.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The client's two messages of SCRAM (RFC 5802, 5 and 7), read by the letter. Pure. */
final class ScramMessages {
    private static final Pattern FIRST = Pattern.compile(
            "((?:n|y),(?:a=([^,]*))?,)(n=([^,\\x00]+),r=([\\x21-\\x2B\\x2D-\\x7E]+)((?:,[A-Za-z]=[^,\\x00]+)*))");
    private static final Pattern FINAL = Pattern.compile(
            "(c=([A-Za-z0-9+/=]+),r=([\\x21-\\x2B\\x2D-\\x7E]+)(?:,[A-Za-z]=[^,\\x00]+)*),p=([A-Za-z0-9+/=]+)");
    private static final int BYTES_MAX = 2048;

    private ScramMessages() {}

    /**
     * What the client begins with. A client that wants channel binding, or a mandatory extension, gets nowhere: neither is
     * offered.
     *
     * @param gs2Header to come back in the final message
     * @param bare the part that is signed
     * @param user as it is to be looked up
     */
    record First(String gs2Header, String bare, String user, String nonce) {}

    /**
     * What the client ends with.
     *
     * @param binding of {@code c=}, decoded
     * @param withoutProof the part that is signed
     */
    record Final(byte[] binding, String nonce, String withoutProof, byte[] proof) {}

    /** Null if it is not such a message. */
    static @Nullable First first(byte[] message) {
        Matcher parts = match(FIRST, message);
        if (parts == null) {
            return null;
        }
        String user = name(parts.group(4));
        String actAs = parts.group(2) == null ? user : name(parts.group(2));
        if (user == null || !user.equals(actAs)) {
            return null;
        }
        return new First(parts.group(1), parts.group(3), user, parts.group(5));
    }

    /** Null if it is not such a message. */
    static @Nullable Final last(byte[] message) {
        Matcher parts = match(FINAL, message);
        if (parts == null) {
            return null;
        }
        try {
            Base64.Decoder decoder = Base64.getDecoder();
            return new Final(
                    decoder.decode(parts.group(2)), parts.group(3), parts.group(1), decoder.decode(parts.group(4)));
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
    }

    private static @Nullable Matcher match(Pattern pattern, byte[] message) {
        String text = message.length > BYTES_MAX ? null : SaslPrep.decode(message);
        Matcher parts = text == null ? null : pattern.matcher(text);
        return parts != null && parts.matches() ? parts : null;
    }

    /** {@code =2C} is a comma and {@code =3D} an equals sign; no other use of the latter is legal. */
    private static @Nullable String name(String saslName) {
        String plain = saslName.replace("=2C", ",").replace("=3D", "\0");
        return plain.indexOf('=') >= 0 ? null : SaslPrep.prepare(plain.replace('\0', '='));
    }

    static byte[] utf8(String text) {
        return text.getBytes(UTF_8);
    }
}
