package io.mainstem.benchmarks.amqp;

/** Writes attach and detach frames. Thread: that of the writer. */
final class Attach {
    private static final int AT_LEAST_ONCE = 0;
    private static final int UNSETTLED_STATE = 2;

    private Attach() {}

    /** A link that sends to an address. */
    static void sender(WireWriter out, long handle, String name, String address, boolean topic) {
        int frame = out.beginFrame(0, Performative.ATTACH);
        out.string(name).uint(handle).bool(false).ubyte(AT_LEAST_ONCE).ubyte(0);
        int source = out.beginList(Performative.SOURCE);
        out.string(name);
        out.endList(source, 1);
        int target = out.beginList(Performative.TARGET);
        out.string(address).nothing().nothing().nothing().nothing().nothing().symbol(kind(topic));
        out.endList(target, 7);
        out.nothing().nothing().uint(0);
        out.endFrame(frame, 10);
    }

    /** A link to the transaction coordinator. */
    static void coordinator(WireWriter out, long handle, String name) {
        int frame = out.beginFrame(0, Performative.ATTACH);
        out.string(name).uint(handle).bool(false).ubyte(AT_LEAST_ONCE).ubyte(0);
        int source = out.beginList(Performative.SOURCE);
        out.string(name);
        out.endList(source, 1);
        int target = out.beginList(Performative.COORDINATOR);
        out.symbol("amqp:local-transactions");
        out.endList(target, 1);
        out.nothing().nothing().uint(0);
        out.endFrame(frame, 10);
    }

    /**
     * A link that receives from an address.
     *
     * @param kept of a topic: a durable subscription, which stays when its link and its connection are gone
     */
    static void receiver(WireWriter out, long handle, String name, String address, boolean topic, boolean kept) {
        int frame = out.beginFrame(0, Performative.ATTACH);
        out.string(name).uint(handle).bool(true).ubyte(AT_LEAST_ONCE).ubyte(0);
        int source = out.beginList(Performative.SOURCE);
        out.string(address);
        if (topic && kept) {
            out.uint(UNSETTLED_STATE).symbol("never");
        } else {
            out.nothing().nothing();
        }
        out.nothing().nothing().nothing().nothing().nothing();
        out.nothing().nothing().symbol(kind(topic));
        out.endList(source, 11);
        int target = out.beginList(Performative.TARGET);
        out.string(name);
        out.endList(target, 1);
        out.endFrame(frame, 7);
    }

    /** Closes a link. */
    static void detach(WireWriter out, long handle) {
        int frame = out.beginFrame(0, Performative.DETACH);
        out.uint(handle).bool(true);
        out.endFrame(frame, 2);
    }

    private static String kind(boolean topic) {
        return topic ? "topic" : "queue";
    }
}
