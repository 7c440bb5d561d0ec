package io.mainstem.jms.message.section;

import org.apache.qpid.proton.amqp.Symbol;

/** Message annotations that carry what JMS has and AMQP's properties have not ([mapping 4.9]). */
public final class Annotations {
    public static final Symbol MESSAGE_KIND = Symbol.valueOf("x-opt-jms-msg-type");
    public static final Symbol DESTINATION_KIND = Symbol.valueOf("x-opt-jms-dest");
    public static final Symbol REPLY_TO_KIND = Symbol.valueOf("x-opt-jms-reply-to");
    public static final Symbol DELIVERY_TIME = Symbol.valueOf("x-opt-delivery-time");
    public static final Symbol APP_ID = Symbol.valueOf("x-opt-app-id");
    public static final Symbol PRODUCER_ID = Symbol.valueOf("x-opt-producer-id");
    public static final Symbol PRODUCER_SEQUENCE = Symbol.valueOf("x-opt-producer-seq");

    static final Symbol EXCHANGE = Symbol.valueOf("x-exchange");
    static final Symbol ROUTING_KEY = Symbol.valueOf("x-routing-key");
    static final Symbol INGRESS_TIME = Symbol.valueOf("x-opt-ingress-time");
    static final Symbol ACQUIRED_COUNT = Symbol.valueOf("x-acquired-count");
    static final Symbol DEATHS = Symbol.valueOf("x-opt-deaths");

    private Annotations() {}
}
