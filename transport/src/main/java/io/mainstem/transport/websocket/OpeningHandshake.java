package io.mainstem.transport.websocket;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The server's part of the opening handshake (RFC 6455, 4.2). Thread: any. */
final class OpeningHandshake {
    static final String VERSION = "13";

    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int KEY_BYTES = 16;

    private OpeningHandshake() {}

    static boolean isVersion(HttpRequest request) {
        return VERSION.equals(request.headers().get(HttpHeaderNames.SEC_WEBSOCKET_VERSION));
    }

    /** What is wrong with a request of a client (4.2.1), or null. */
    static @Nullable String fault(HttpRequest request) {
        if (!HttpMethod.GET.equals(request.method())) {
            return "method " + request.method() + " (expected: GET)";
        }
        if (!request.headers().containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)) {
            return "no header Connection: Upgrade";
        }
        return isKey(request.headers().get(HttpHeaderNames.SEC_WEBSOCKET_KEY))
                ? null
                : "no header Sec-WebSocket-Key of " + KEY_BYTES + " bytes in base64";
    }

    private static boolean isKey(@Nullable String key) {
        try {
            return key != null && Base64.getDecoder().decode(key.strip()).length == KEY_BYTES;
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    /** To a request without {@link #fault}. */
    static FullHttpResponse answer(HttpRequest request, String subprotocol) {
        FullHttpResponse answer = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.SWITCHING_PROTOCOLS, Unpooled.EMPTY_BUFFER);
        String key = request.headers().get(HttpHeaderNames.SEC_WEBSOCKET_KEY, "");
        answer.headers()
                .set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET)
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE)
                .set(HttpHeaderNames.SEC_WEBSOCKET_ACCEPT, accept(key.strip()))
                .set(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL, subprotocol);
        return answer;
    }

    private static String accept(String key) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest((key + GUID).getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JVM has SHA-1", impossible);
        }
    }
}
