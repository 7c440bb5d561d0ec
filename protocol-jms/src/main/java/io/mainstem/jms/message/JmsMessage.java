package io.mainstem.jms.message;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.message.section.MessageIds;
import io.mainstem.jms.message.section.ReceivedBody;
import io.mainstem.jms.message.section.ReceivedProperties;
import io.mainstem.jms.message.value.MessageErrors;
import io.mainstem.jms.message.value.MessagePropertyMap;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageNotWriteableException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.messaging.Section;
import org.jspecify.annotations.Nullable;

/**
 * A message without a body, and what all others have: headers (Jakarta Messaging 3.4), properties (3.5) and the rules for
 * reading and writing (3.10, 3.11). Thread: one at a time.
 */
class JmsMessage implements Message {
    private static final int PRIORITY_MAX = 9;

    private final MessagePropertyMap properties;
    private @Nullable String messageId;
    private @Nullable String correlationId;
    private @Nullable MainstemDestination destination;
    private @Nullable MainstemDestination replyTo;
    private @Nullable String type;
    private long timestampMs;
    private long expirationMs;
    private long deliveryTimeMs;
    private int deliveryMode = DEFAULT_DELIVERY_MODE;
    private int priority = DEFAULT_PRIORITY;
    private boolean redelivered;
    private @Nullable Acknowledger acknowledger;
    private @Nullable ReceivedBody received;
    private Map<?, ?> annotations = Map.of();
    private boolean bodyReadOnly;

    JmsMessage(boolean strictNames) {
        properties = new MessagePropertyMap(strictNames);
    }

    /** What {@code x-opt-jms-msg-type} says. */
    MessageKind kind() {
        return MessageKind.MESSAGE;
    }

    /** The content type that goes with a body of this kind, or null. */
    @Nullable
    String contentType() {
        return null;
    }

    /** The body as its sender wrote it; never called while {@link #received} is there. */
    List<Section> bodySections() throws JMSException {
        return List.of();
    }

    /** Forgets the body's content. */
    void dropBody() {}

    /** {@link #getBody} has given the body: a BytesMessage is reset by it. */
    void bodyTaken() {}

    /** Class that the body has for {@link #getBody}, its value, or null if there is no body. */
    @Nullable
    Object bodyValue() throws JMSException {
        return null;
    }

    /** Whether a body that is there may be given as that class. */
    boolean fits(Object body, Class<?> wanted) {
        return wanted.isInstance(body);
    }

    // --- arrival and sending -------------------------------------------------------------------------------------

    final void arrived(ReceivedHeaders headers, ReceivedBody body, ReceivedProperties source) {
        messageId = headers.messageId();
        correlationId = headers.correlationId();
        destination = headers.destination();
        replyTo = headers.replyTo();
        type = headers.type();
        timestampMs = headers.timestampMs();
        expirationMs = headers.expirationMs();
        deliveryTimeMs = headers.deliveryTimeMs();
        deliveryMode = headers.durable() ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT;
        priority = Math.min(headers.priority(), PRIORITY_MAX);
        redelivered = headers.arrival().redelivered();
        acknowledger = headers.arrival().acknowledger();
        properties.received(source);
        annotations = source.annotations();
        received = body;
        bodyReadOnly = true;
    }

    /** What the send call decides replaces what the client set (3.4). */
    final void sending(SendHeaders headers) {
        messageId = headers.messageId();
        destination = headers.destination();
        timestampMs = headers.timestampMs();
        expirationMs = headers.expirationMs();
        deliveryTimeMs = headers.deliveryTimeMs();
        deliveryMode = headers.deliveryMode();
        priority = headers.priority();
    }

    final MessagePropertyMap properties() {
        return properties;
    }

    /** The message annotations it came with; nothing but a new message takes them away. */
    final Map<?, ?> annotations() {
        return annotations;
    }

    /** The body that came with the message, as long as nobody cleared it. */
    final @Nullable ReceivedBody received() {
        return received;
    }

    final void requireBodyWritable() throws MessageNotWriteableException {
        if (bodyReadOnly) {
            throw MessageErrors.readOnly("body");
        }
    }

    final boolean isBodyReadOnly() {
        return bodyReadOnly;
    }

    final void makeBodyReadOnly() {
        bodyReadOnly = true;
    }

    // --- headers -------------------------------------------------------------------------------------------------

    @Override
    public final @Nullable String getJMSMessageID() {
        return messageId;
    }

    @Override
    public final void setJMSMessageID(@Nullable String id) throws JMSException {
        messageId = id;
    }

    @Override
    public final long getJMSTimestamp() {
        return timestampMs;
    }

    @Override
    public final void setJMSTimestamp(long timestamp) {
        timestampMs = timestamp;
    }

    @Override
    public final byte @Nullable [] getJMSCorrelationIDAsBytes() throws JMSException {
        return MessageIds.toBytes(correlationId);
    }

    @Override
    public final void setJMSCorrelationIDAsBytes(byte @Nullable [] id) {
        correlationId = id == null ? null : MessageIds.ofBytes(id);
    }

    @Override
    public final void setJMSCorrelationID(@Nullable String id) throws JMSException {
        MessageIds.toAmqp(id);
        correlationId = id;
    }

    @Override
    public final @Nullable String getJMSCorrelationID() {
        return correlationId;
    }

    @Override
    public final @Nullable Destination getJMSReplyTo() {
        return replyTo;
    }

    @Override
    public final void setJMSReplyTo(@Nullable Destination destination) throws JMSException {
        replyTo = destination == null ? null : MainstemDestination.of(destination);
    }

    @Override
    public final @Nullable Destination getJMSDestination() {
        return destination;
    }

    @Override
    public final void setJMSDestination(@Nullable Destination destination) throws JMSException {
        this.destination = destination == null ? null : MainstemDestination.of(destination);
    }

    @Override
    public final int getJMSDeliveryMode() {
        return deliveryMode;
    }

    @Override
    public final void setJMSDeliveryMode(int mode) throws JMSException {
        if (mode != DeliveryMode.PERSISTENT && mode != DeliveryMode.NON_PERSISTENT) {
            throw MessageErrors.badHeader("JMSDeliveryMode", mode, "1 (NON_PERSISTENT) or 2 (PERSISTENT)");
        }
        deliveryMode = mode;
    }

    @Override
    public final boolean getJMSRedelivered() {
        return redelivered;
    }

    @Override
    public final void setJMSRedelivered(boolean redelivered) {
        this.redelivered = redelivered;
    }

    @Override
    public final @Nullable String getJMSType() {
        return type;
    }

    @Override
    public final void setJMSType(@Nullable String type) {
        this.type = type;
    }

    @Override
    public final long getJMSExpiration() {
        return expirationMs;
    }

    @Override
    public final void setJMSExpiration(long expiration) {
        expirationMs = expiration;
    }

    @Override
    public final long getJMSDeliveryTime() {
        return deliveryTimeMs;
    }

    @Override
    public final void setJMSDeliveryTime(long deliveryTime) {
        deliveryTimeMs = deliveryTime;
    }

    @Override
    public final int getJMSPriority() {
        return priority;
    }

    @Override
    public final void setJMSPriority(int priority) throws JMSException {
        if (priority < 0 || priority > PRIORITY_MAX) {
            throw MessageErrors.badHeader("JMSPriority", priority, "0 to " + PRIORITY_MAX);
        }
        this.priority = priority;
    }

    // --- properties ----------------------------------------------------------------------------------------------

    @Override
    public final void clearProperties() {
        properties.clear();
    }

    @Override
    public final boolean propertyExists(String name) throws JMSException {
        return properties.contains(name);
    }

    @Override
    public final boolean getBooleanProperty(String name) throws JMSException {
        return properties.get(name).asBoolean();
    }

    @Override
    public final byte getByteProperty(String name) throws JMSException {
        return properties.get(name).asByte();
    }

    @Override
    public final short getShortProperty(String name) throws JMSException {
        return properties.get(name).asShort();
    }

    @Override
    public final int getIntProperty(String name) throws JMSException {
        return properties.get(name).asInt();
    }

    @Override
    public final long getLongProperty(String name) throws JMSException {
        return properties.get(name).asLong();
    }

    @Override
    public final float getFloatProperty(String name) throws JMSException {
        return properties.get(name).asFloat();
    }

    @Override
    public final double getDoubleProperty(String name) throws JMSException {
        return properties.get(name).asDouble();
    }

    @Override
    public final @Nullable String getStringProperty(String name) throws JMSException {
        return properties.get(name).asString();
    }

    @Override
    public final @Nullable Object getObjectProperty(String name) throws JMSException {
        return properties.get(name).asObject();
    }

    @Override
    public final Enumeration<String> getPropertyNames() throws JMSException {
        return Collections.enumeration(properties.names());
    }

    @Override
    public final void setBooleanProperty(String name, boolean value) throws JMSException {
        properties.set(name, value);
    }

    @Override
    public final void setByteProperty(String name, byte value) throws JMSException {
        properties.set(name, value);
    }

    @Override
    public final void setShortProperty(String name, short value) throws JMSException {
        properties.set(name, value);
    }

    @Override
    public final void setIntProperty(String name, int value) throws JMSException {
        properties.set(name, value);
    }

    @Override
    public final void setLongProperty(String name, long value) throws JMSException {
        properties.set(name, value);
    }

    @Override
    public final void setFloatProperty(String name, float value) throws JMSException {
        properties.set(name, value);
    }

    @Override
    public final void setDoubleProperty(String name, double value) throws JMSException {
        properties.set(name, value);
    }

    @Override
    public final void setStringProperty(String name, @Nullable String value) throws JMSException {
        properties.set(name, value);
    }

    @Override
    public final void setObjectProperty(String name, @Nullable Object value) throws JMSException {
        properties.set(name, value);
    }

    // --- acknowledgement and body --------------------------------------------------------------------------------

    /** On a message that was never received there is nothing to acknowledge. */
    @Override
    public final void acknowledge() throws JMSException {
        if (acknowledger != null) {
            acknowledger.acknowledge();
        }
    }

    @Override
    public final void clearBody() {
        received = null;
        bodyReadOnly = false;
        dropBody();
    }

    @Override
    public final <T> @Nullable T getBody(Class<T> wanted) throws JMSException {
        Object body = bodyValue();
        if (body != null && !fits(body, wanted)) {
            throw MessageErrors.notAssignable(kind().text(), wanted, kind().bodyTypes());
        }
        bodyTaken();
        return body == null ? null : wanted.cast(body);
    }

    @Override
    @SuppressWarnings("rawtypes") // as the API declares it
    public final boolean isBodyAssignableTo(Class wanted) throws JMSException {
        try {
            Object body = bodyValue();
            return body == null || fits(body, (Class<?>) wanted);
        } catch (MessageFormatException unreadable) {
            return false;
        }
    }

    @Override
    public String toString() {
        return kind().text() + "[JMSMessageID=" + messageId + ", JMSDestination=" + destination + ", JMSType=" + type
                + ", JMSCorrelationID=" + correlationId + ", JMSReplyTo=" + replyTo + "]";
    }
}
