package io.mainstem.jms.message.section;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a content type says about data of a sender that is no JMS client ([mapping 3.4]). */
public final class ContentTypes {
    public static final String BYTES = "application/octet-stream";
    public static final String JAVA_OBJECT = "application/x-java-serialized-object";

    private static final Set<String> TEXT = Set.of(
            "application/json",
            "application/xml",
            "application/xml-dtd",
            "application/javascript",
            "application/ecmascript");
    private static final Pattern CHARSET =
            Pattern.compile(";\\s*charset\\s*=\\s*\"?([A-Za-z0-9][A-Za-z0-9._:+-]{0,63})\"?", Pattern.CASE_INSENSITIVE);

    private ContentTypes() {}

    public static boolean isText(@Nullable String contentType) {
        String type = bare(contentType);
        return type.startsWith("text/")
                || TEXT.contains(type)
                || (type.startsWith("application/") && (type.endsWith("+json") || type.endsWith("+xml")));
    }

    public static boolean isJavaObject(@Nullable String contentType) {
        return bare(contentType).equals(JAVA_OBJECT);
    }

    static boolean isBytes(@Nullable String contentType) {
        return bare(contentType).equals(BYTES);
    }

    /** The charset it names, or UTF-8 if it names none or one that this JVM does not have. */
    static Charset charsetOf(@Nullable String contentType) {
        Matcher charset = CHARSET.matcher(contentType == null ? "" : contentType);
        if (!charset.find()) {
            return StandardCharsets.UTF_8;
        }
        try {
            return Charset.forName(charset.group(1));
        } catch (IllegalCharsetNameException | UnsupportedCharsetException unknown) {
            return StandardCharsets.UTF_8;
        }
    }

    private static String bare(@Nullable String contentType) {
        if (contentType == null) {
            return "";
        }
        int parameters = contentType.indexOf(';');
        return (parameters < 0 ? contentType : contentType.substring(0, parameters))
                .trim()
                .toLowerCase(Locale.ROOT);
    }
}
