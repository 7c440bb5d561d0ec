package io.mainstem.jms.message;

import io.mainstem.jms.message.section.ContentTypes;
import io.mainstem.jms.message.section.ReceivedBody;
import org.jspecify.annotations.Nullable;

/**
 * Which type a message has that arrived: what its sender said if the body is such a one, else by the body itself
 * ([mapping 3.4], as Qpid JMS does it). Every body has a type ([D-4]).
 */
final class BodyKinds {
    private BodyKinds() {}

    static MessageKind kindOf(@Nullable MessageKind said, ReceivedBody body) {
        return said != null && fits(said, body) ? said : byBody(body);
    }

    private static boolean fits(MessageKind said, ReceivedBody body) {
        boolean nothing = body.isEmpty() || body.isNull();
        return switch (said) {
            case MESSAGE -> body.isEmpty();
            case OBJECT -> true;
            case MAP -> nothing || body.isMap();
            case BYTES -> nothing || body.isData() || body.isBinary();
            case STREAM -> nothing || body.isSequence() || body.isList();
            case TEXT -> nothing || body.isString() || body.isData() || body.isBinary();
        };
    }

    private static MessageKind byBody(ReceivedBody body) {
        if (body.isEmpty() || body.isData()) {
            return byContentType(body);
        }
        if (body.isString() || body.isNull()) {
            return MessageKind.TEXT;
        }
        return body.isBinary() ? MessageKind.BYTES : MessageKind.OBJECT;
    }

    private static MessageKind byContentType(ReceivedBody body) {
        if (ContentTypes.isJavaObject(body.contentType())) {
            return MessageKind.OBJECT;
        }
        if (ContentTypes.isText(body.contentType())) {
            return MessageKind.TEXT;
        }
        return body.isEmpty() && body.contentType() == null ? MessageKind.MESSAGE : MessageKind.BYTES;
    }
}
