package io.mainstem.jms;

import static io.mainstem.jms.Unchecked.call;
import static io.mainstem.jms.Unchecked.run;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.error.JmsAction;
import io.mainstem.jms.session.SendOptions;
import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;
import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A producer of a context: what is set here goes over what the message says. Thread: that of its context.
 */
final class MainstemJmsProducer implements JMSProducer {
    private final MainstemContext context;
    /** Holds the properties and the correlation identifier: a message checks and converts them as the specification asks. */
    private final Message properties;

    private final Map<String, Object> values = new LinkedHashMap<>();
    private int deliveryMode = DeliveryMode.PERSISTENT;
    private int priority = Message.DEFAULT_PRIORITY;
    private long timeToLiveMs;
    private long delayMs;
    private boolean withoutId;
    private boolean withoutTimestamp;
    private @Nullable CompletionListener async;
    private @Nullable String correlationId;
    private byte @Nullable [] correlationIdBytes;
    private @Nullable String type;
    private @Nullable Destination replyTo;

    MainstemJmsProducer(MainstemContext context) {
        this.context = context;
        this.properties = context.connection().broker().messages().createMessage();
    }

    @Override
    public JMSProducer send(Destination destination, Message message) {
        run(() -> {
            if (message == null) {
                throw new MessageFormatException("MS-0711 message is null; fix: give one", "MS-0711");
            }
            apply(message);
            SendOptions options =
                    new SendOptions(deliveryMode, priority, timeToLiveMs, delayMs, withoutId, withoutTimestamp);
            context.relay().send(MainstemDestination.of(destination), message, options, async);
        });
        return this;
    }

    private void apply(Message message) throws JMSException {
        for (Map.Entry<String, Object> property : values.entrySet()) {
            message.setObjectProperty(property.getKey(), property.getValue());
        }
        if (correlationId != null) {
            message.setJMSCorrelationID(correlationId);
        }
        if (correlationIdBytes != null) {
            message.setJMSCorrelationIDAsBytes(correlationIdBytes);
        }
        if (type != null) {
            message.setJMSType(type);
        }
        if (replyTo != null) {
            message.setJMSReplyTo(replyTo);
        }
    }

    @Override
    public JMSProducer send(Destination destination, @Nullable String body) {
        return send(destination, (Message) context.createTextMessage(body));
    }

    @Override
    public JMSProducer send(Destination destination, @Nullable Map<String, Object> body) {
        MapMessage message = context.createMapMessage();
        run(() -> {
            if (body != null) {
                for (Map.Entry<String, Object> entry : body.entrySet()) {
                    message.setObject(entry.getKey(), entry.getValue());
                }
            }
        });
        return send(destination, (Message) message);
    }

    @Override
    public JMSProducer send(Destination destination, byte @Nullable [] body) {
        BytesMessage message = context.createBytesMessage();
        run(() -> {
            if (body != null) {
                message.writeBytes(body);
            }
        });
        return send(destination, (Message) message);
    }

    @Override
    public JMSProducer send(Destination destination, @Nullable Serializable body) {
        return send(destination, (Message) context.createObjectMessage(body));
    }

    @Override
    public JMSProducer setDisableMessageID(boolean value) {
        withoutId = value;
        return this;
    }

    @Override
    public boolean getDisableMessageID() {
        return withoutId;
    }

    @Override
    public JMSProducer setDisableMessageTimestamp(boolean value) {
        withoutTimestamp = value;
        return this;
    }

    @Override
    public boolean getDisableMessageTimestamp() {
        return withoutTimestamp;
    }

    @Override
    public JMSProducer setDeliveryMode(int mode) {
        deliveryMode = call(() -> SendOptions.checkedMode(mode));
        return this;
    }

    @Override
    public int getDeliveryMode() {
        return deliveryMode;
    }

    @Override
    public JMSProducer setPriority(int next) {
        priority = call(() -> SendOptions.checkedPriority(next));
        return this;
    }

    @Override
    public int getPriority() {
        return priority;
    }

    @Override
    public JMSProducer setTimeToLive(long ms) {
        timeToLiveMs = call(() -> SendOptions.checkedTime(ms));
        return this;
    }

    @Override
    public long getTimeToLive() {
        return timeToLiveMs;
    }

    @Override
    public JMSProducer setDeliveryDelay(long ms) {
        delayMs = call(() -> SendOptions.checkedTime(ms));
        return this;
    }

    @Override
    public long getDeliveryDelay() {
        return delayMs;
    }

    @Override
    public JMSProducer setAsync(@Nullable CompletionListener listener) {
        async = listener;
        return this;
    }

    @Override
    public @Nullable CompletionListener getAsync() {
        return async;
    }

    private JMSProducer property(String name, JmsAction set) {
        run(() -> {
            set.run();
            values.put(name, properties.getObjectProperty(name));
        });
        return this;
    }

    @Override
    public JMSProducer setProperty(String name, boolean value) {
        return property(name, () -> properties.setBooleanProperty(name, value));
    }

    @Override
    public JMSProducer setProperty(String name, byte value) {
        return property(name, () -> properties.setByteProperty(name, value));
    }

    @Override
    public JMSProducer setProperty(String name, short value) {
        return property(name, () -> properties.setShortProperty(name, value));
    }

    @Override
    public JMSProducer setProperty(String name, int value) {
        return property(name, () -> properties.setIntProperty(name, value));
    }

    @Override
    public JMSProducer setProperty(String name, long value) {
        return property(name, () -> properties.setLongProperty(name, value));
    }

    @Override
    public JMSProducer setProperty(String name, float value) {
        return property(name, () -> properties.setFloatProperty(name, value));
    }

    @Override
    public JMSProducer setProperty(String name, double value) {
        return property(name, () -> properties.setDoubleProperty(name, value));
    }

    @Override
    public JMSProducer setProperty(String name, @Nullable String value) {
        return property(name, () -> properties.setStringProperty(name, value));
    }

    @Override
    public JMSProducer setProperty(String name, @Nullable Object value) {
        return property(name, () -> properties.setObjectProperty(name, value));
    }

    @Override
    public JMSProducer clearProperties() {
        run(properties::clearProperties);
        values.clear();
        return this;
    }

    @Override
    public boolean propertyExists(String name) {
        return values.containsKey(name);
    }

    @Override
    public boolean getBooleanProperty(String name) {
        return call(() -> properties.getBooleanProperty(name));
    }

    @Override
    public byte getByteProperty(String name) {
        return call(() -> properties.getByteProperty(name));
    }

    @Override
    public short getShortProperty(String name) {
        return call(() -> properties.getShortProperty(name));
    }

    @Override
    public int getIntProperty(String name) {
        return call(() -> properties.getIntProperty(name));
    }

    @Override
    public long getLongProperty(String name) {
        return call(() -> properties.getLongProperty(name));
    }

    @Override
    public float getFloatProperty(String name) {
        return call(() -> properties.getFloatProperty(name));
    }

    @Override
    public double getDoubleProperty(String name) {
        return call(() -> properties.getDoubleProperty(name));
    }

    @Override
    public String getStringProperty(String name) {
        return call(() -> properties.getStringProperty(name));
    }

    @Override
    public Object getObjectProperty(String name) {
        return call(() -> properties.getObjectProperty(name));
    }

    @Override
    public Set<String> getPropertyNames() {
        return Collections.unmodifiableSet(values.keySet());
    }

    @Override
    public JMSProducer setJMSCorrelationIDAsBytes(byte @Nullable [] id) {
        run(() -> properties.setJMSCorrelationIDAsBytes(id));
        correlationIdBytes = id == null ? null : id.clone();
        correlationId = null;
        return this;
    }

    @Override
    public byte @Nullable [] getJMSCorrelationIDAsBytes() {
        return Unchecked.maybe(properties::getJMSCorrelationIDAsBytes);
    }

    @Override
    public JMSProducer setJMSCorrelationID(@Nullable String id) {
        run(() -> properties.setJMSCorrelationID(id));
        correlationId = id;
        correlationIdBytes = null;
        return this;
    }

    @Override
    public @Nullable String getJMSCorrelationID() {
        return Unchecked.maybe(properties::getJMSCorrelationID);
    }

    @Override
    public JMSProducer setJMSType(@Nullable String next) {
        type = next;
        return this;
    }

    @Override
    public @Nullable String getJMSType() {
        return type;
    }

    @Override
    public JMSProducer setJMSReplyTo(@Nullable Destination next) {
        replyTo = next;
        return this;
    }

    @Override
    public @Nullable Destination getJMSReplyTo() {
        return replyTo;
    }
}
