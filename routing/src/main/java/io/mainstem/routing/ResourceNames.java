package io.mainstem.routing;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What queues and exchanges may be called, whatever the protocol. Pure; thread: any. */
public final class ResourceNames {
    /** Names that begin so are the broker's own. */
    public static final String RESERVED = "amq.";

    private static final int BYTES_MAX = 255;
    private static final List<String> ADDRESS_PREFIXES =
            List.of("/queues/", "/exchanges/", "/topics/", "queue://", "topic://", "temp-queue://", "temp-topic://");

    private ResourceNames() {}

    /** What a name would have to be but is not, such as {@code 1 to 255 bytes of UTF-8, found 0}; null if it is fine. */
    public static @Nullable String problem(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > BYTES_MAX) {
            return "1 to " + BYTES_MAX + " bytes of UTF-8, found " + bytes;
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == 0 || c == '\r' || c == '\n') {
                return "no NUL, CR or LF";
            }
        }
        for (String prefix : ADDRESS_PREFIXES) {
            if (name.startsWith(prefix)) {
                return "not to begin with '" + prefix + "', which is address syntax";
            }
        }
        return null;
    }
}
