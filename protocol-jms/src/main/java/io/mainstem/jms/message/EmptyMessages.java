package io.mainstem.jms.message;

/**
 * Makes messages without content, all by the same options. Thread: any.
 *
 * @param strictNames property names must be Java identifiers
 * @param trusted what an ObjectMessage may be read from
 */
record EmptyMessages(boolean strictNames, TrustedClasses trusted) {
    JmsMessage of(MessageKind kind) {
        return switch (kind) {
            case MESSAGE -> message();
            case OBJECT -> object();
            case MAP -> map();
            case BYTES -> bytes();
            case STREAM -> stream();
            case TEXT -> text();
        };
    }

    JmsMessage message() {
        return new JmsMessage(strictNames);
    }

    JmsObjectMessage object() {
        return new JmsObjectMessage(strictNames, trusted);
    }

    JmsMapMessage map() {
        return new JmsMapMessage(strictNames);
    }

    JmsBytesMessage bytes() {
        return new JmsBytesMessage(strictNames);
    }

    JmsStreamMessage stream() {
        return new JmsStreamMessage(strictNames);
    }

    JmsTextMessage text() {
        return new JmsTextMessage(strictNames);
    }
}
