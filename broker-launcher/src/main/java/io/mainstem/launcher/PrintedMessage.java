package io.mainstem.launcher;

import jakarta.jms.BytesMessage;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageEOFException;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A received message, for people or for programs. */
final class PrintedMessage {
    private PrintedMessage() {}

    /** One line of JSON, or the body as text with the headers before it if they are wanted. */
    static void print(PrintWriter out, Printed.Form form, boolean headers, Message message) throws JMSException {
        if (form == Printed.Form.JSON) {
            out.println(Printed.json(all(message)));
        } else {
            if (headers) {
                headers(message).forEach((name, value) -> out.println(name + ": " + value));
                properties(message).forEach((name, value) -> out.println(name + "=" + value));
            }
            out.println(text(message));
        }
        out.flush();
    }

    static Map<String, @Nullable Object> all(Message message) throws JMSException {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("kind", kind(message));
        all.put("body", body(message));
        all.put("headers", headers(message));
        all.put("properties", properties(message));
        return all;
    }

    private static Map<String, @Nullable Object> headers(Message message) throws JMSException {
        Map<String, @Nullable Object> headers = new LinkedHashMap<>();
        put(headers, "JMSMessageID", message.getJMSMessageID());
        put(headers, "JMSDestination", text(message.getJMSDestination()));
        put(headers, "JMSCorrelationID", message.getJMSCorrelationID());
        put(headers, "JMSReplyTo", text(message.getJMSReplyTo()));
        put(headers, "JMSType", message.getJMSType());
        headers.put("JMSTimestamp", message.getJMSTimestamp());
        headers.put("JMSExpiration", message.getJMSExpiration());
        headers.put("JMSDeliveryMode", message.getJMSDeliveryMode());
        headers.put("JMSPriority", message.getJMSPriority());
        headers.put("JMSRedelivered", message.getJMSRedelivered());
        return headers;
    }

    private static void put(Map<String, @Nullable Object> headers, String name, @Nullable Object value) {
        if (value != null) {
            headers.put(name, value);
        }
    }

    private static @Nullable String text(@Nullable Destination destination) {
        return destination == null ? null : (destination instanceof Queue ? "queue://" : "topic://") + destination;
    }

    private static Map<String, @Nullable Object> properties(Message message) throws JMSException {
        Map<String, @Nullable Object> properties = new LinkedHashMap<>();
        for (String name : list(message.getPropertyNames())) {
            properties.put(name, message.getObjectProperty(name));
        }
        return properties;
    }

    private static List<String> list(Enumeration<?> names) {
        return Collections.list(names).stream().map(String::valueOf).toList();
    }

    private static String kind(Message message) {
        if (message instanceof TextMessage) {
            return "text";
        } else if (message instanceof BytesMessage) {
            return "bytes";
        } else if (message instanceof MapMessage) {
            return "map";
        } else if (message instanceof StreamMessage) {
            return "stream";
        }
        return message instanceof ObjectMessage ? "object" : "message";
    }

    private static String text(Message message) throws JMSException {
        Object body = body(message);
        if (body instanceof byte[] bytes) {
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            } catch (CharacterCodingException binary) {
                return Printed.json(bytes).asText();
            }
        }
        return body == null
                ? ""
                : body instanceof String text ? text : Printed.json(body).toString();
    }

    /** Text, bytes, or what JSON can hold of the rest. An object of Java is not read: nobody vouches for its class. */
    private static @Nullable Object body(Message message) throws JMSException {
        if (message instanceof TextMessage text) {
            return text.getText();
        }
        if (message instanceof BytesMessage bytes) {
            byte[] body = new byte[(int) bytes.getBodyLength()];
            bytes.readBytes(body);
            return body;
        }
        if (message instanceof MapMessage map) {
            Map<String, @Nullable Object> items = new LinkedHashMap<>();
            for (String name : list(map.getMapNames())) {
                items.put(name, map.getObject(name));
            }
            return items;
        }
        if (message instanceof StreamMessage stream) {
            return elements(stream);
        }
        if (message instanceof ObjectMessage object) {
            try {
                return object.getObject();
            } catch (JMSException notTrusted) {
                return "(" + notTrusted.getErrorCode() + " a Java object)";
            }
        }
        return null;
    }

    private static List<@Nullable Object> elements(StreamMessage stream) throws JMSException {
        List<@Nullable Object> elements = new ArrayList<>();
        try {
            while (true) {
                elements.add(stream.readObject());
            }
        } catch (MessageEOFException end) {
            return elements;
        }
    }
}
