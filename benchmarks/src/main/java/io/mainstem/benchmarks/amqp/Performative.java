package io.mainstem.benchmarks.amqp;

/** Descriptor codes of AMQP 1.0 that the client uses. */
final class Performative {
    static final int OPEN = 0x10;
    static final int BEGIN = 0x11;
    static final int ATTACH = 0x12;
    static final int FLOW = 0x13;
    static final int TRANSFER = 0x14;
    static final int DISPOSITION = 0x15;
    static final int DETACH = 0x16;
    static final int END = 0x17;
    static final int CLOSE = 0x18;
    static final int ACCEPTED = 0x24;
    static final int SOURCE = 0x28;
    static final int TARGET = 0x29;
    static final int COORDINATOR = 0x30;
    static final int DECLARE = 0x31;
    static final int DISCHARGE = 0x32;
    static final int DECLARED = 0x33;
    static final int TRANSACTIONAL_STATE = 0x34;
    static final int AMQP_VALUE = 0x77;
    static final int SASL_MECHANISMS = 0x40;
    static final int SASL_INIT = 0x41;
    static final int SASL_OUTCOME = 0x44;

    private Performative() {}
}
