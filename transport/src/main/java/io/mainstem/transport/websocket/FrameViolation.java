package io.mainstem.transport.websocket;

import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;

/** A client breaks a rule of WebSocket, which ends its connection with a status. Immutable. */
final class FrameViolation extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    private FrameViolation(WebSocketCloseStatus status, String text) {
        super(text, null, false, false);
        this.status = status.code();
    }

    /** RFC 6455, 7.4.1: 1002. */
    static FrameViolation protocol(String text) {
        return new FrameViolation(WebSocketCloseStatus.PROTOCOL_ERROR, text);
    }

    /** 1003: of a type that is not taken. */
    static FrameViolation type(String text) {
        return new FrameViolation(WebSocketCloseStatus.INVALID_MESSAGE_TYPE, text);
    }

    /** 1007: not of the encoding that it claims. */
    static FrameViolation encoding(String text) {
        return new FrameViolation(WebSocketCloseStatus.INVALID_PAYLOAD_DATA, text);
    }

    int status() {
        return status;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
