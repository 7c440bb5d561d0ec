package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.DescribedType;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Outcome;
import org.apache.qpid.proton.amqp.messaging.Received;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.messaging.Terminus;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transaction.Coordinator;
import org.apache.qpid.proton.amqp.transaction.Declare;
import org.apache.qpid.proton.amqp.transaction.Discharge;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.apache.qpid.proton.amqp.transport.Transfer;

/**
 * What a client might say in a short life: all kinds of termini, filters, settle modes, states, transactions and unsettled
 * maps, right in themselves but not always in their order. Container-ids and link names are few, so that connections steal
 * and resume each other's links.
 */
final class FuzzConversation {
    private static final String[] SELECTORS = {"a = 1", "JMSPriority > 4 AND b LIKE 'x%'", "((((", "NOT", "'", ""};
    private static final String[] ADDRESSES = {
        "fuzz", "a.#", "/queues/fuzz", "/exchanges/amq.topic/a.*", "/topics/a/+", "x"
    };

    private final ScriptedPeer peer;
    private final Random random;
    private final List<byte[]> frames = new ArrayList<>();
    private int deliveryId;

    private FuzzConversation(ScriptedPeer peer, Random random) {
        this.peer = peer;
        this.random = random;
    }

    /** Its frames, the first of which opens the connection. */
    static List<byte[]> of(ScriptedPeer peer, Random random) {
        FuzzConversation one = new FuzzConversation(peer, random);
        one.speak();
        return one.frames;
    }

    private void speak() {
        Open open = new Open();
        open.setContainerId("fuzz-" + random.nextInt(3));
        if (random.nextInt(4) == 0) {
            open.setMaxFrameSize(UnsignedInteger.valueOf(512));
        }
        say(open);
        Begin begin = new Begin();
        begin.setNextOutgoingId(UnsignedInteger.ZERO);
        begin.setIncomingWindow(UnsignedInteger.valueOf(random.nextInt(20)));
        begin.setOutgoingWindow(UnsignedInteger.valueOf(100));
        say(begin);
        say(sender(0));
        say(receiver(1));
        if (random.nextBoolean()) {
            say(coordinator(2));
            say(transfer(2), message(new Declare()));
        }
        for (int n = 4 + random.nextInt(12); n > 0; n--) {
            anything();
        }
        if (random.nextBoolean()) {
            say(new End());
        }
        if (random.nextBoolean()) {
            say(new Close());
        }
    }

    private void anything() {
        switch (random.nextInt(9)) {
            case 0, 1, 2 -> say(transfer(0), ScriptedPeer.durable((byte) deliveryId, (byte) 2));
            case 3, 4 -> say(flow());
            case 5, 6 -> say(disposition());
            case 7 -> {
                Discharge discharge = new Discharge();
                discharge.setTxnId(bytes(4));
                discharge.setFail(random.nextBoolean());
                say(transfer(2), message(discharge));
            }
            default -> {
                int handle = random.nextInt(2);
                Detach detach = new Detach();
                detach.setHandle(UnsignedInteger.valueOf(handle));
                detach.setClosed(random.nextBoolean());
                say(detach);
                say(handle == 0 ? sender(0) : receiver(1));
            }
        }
    }

    // ---- performatives ---------------------------------------------------------------------------------------

    private Attach sender(int handle) {
        Target target = new Target();
        target.setAddress(random.nextInt(4) == 0 ? null : any(ADDRESSES));
        target.setDynamic(random.nextInt(12) == 0);
        terminus(target);
        Attach attach = ScriptedPeer.senderAttach(handle, target);
        attach.setName("out-" + random.nextInt(2));
        return linked(attach);
    }

    private Attach receiver(int handle) {
        Source source = new Source();
        source.setAddress(any(ADDRESSES));
        source.setDynamic(random.nextInt(12) == 0);
        terminus(source);
        if (random.nextInt(3) == 0) {
            source.setDistributionMode(Symbol.valueOf("copy"));
        }
        if (random.nextInt(3) == 0) {
            source.setFilter(Map.of(Symbol.valueOf("f"), filter()));
        }
        if (state() instanceof Outcome outcome) {
            source.setDefaultOutcome(outcome);
        }
        Attach attach = ScriptedPeer.receiverAttach(handle, random.nextInt(10) == 0 ? null : source);
        attach.setName(random.nextInt(3) == 0 ? "in|" + random.nextInt(3) : "in");
        attach.setMaxMessageSize(random.nextInt(3) == 0 ? UnsignedLong.valueOf(random.nextInt(60)) : null);
        if (random.nextInt(8) == 0) {
            attach.setProperties(Map.of(
                    Symbol.valueOf(random.nextBoolean() ? "mainstem:exclusive" : "rabbitmq:priority"),
                    random.nextBoolean() ? true : random.nextInt()));
        }
        return linked(attach);
    }

    private Attach coordinator(int handle) {
        Coordinator target = new Coordinator();
        target.setCapabilities(Symbol.valueOf("amqp:local-transactions"));
        return ScriptedPeer.senderAttach(handle, target);
    }

    private void terminus(Terminus terminus) {
        terminus.setDurable(any(TerminusDurability.values()));
        terminus.setExpiryPolicy(any(TerminusExpiryPolicy.values()));
        terminus.setTimeout(UnsignedInteger.valueOf(random.nextInt(3) == 0 ? 1 : 0));
        List<Symbol> capabilities = new ArrayList<>();
        for (String name : new String[] {"queue", "topic", "shared", "global", "temporary-topic"}) {
            if (random.nextInt(3) == 0) {
                capabilities.add(Symbol.valueOf(name));
            }
        }
        terminus.setCapabilities(capabilities.toArray(new Symbol[0]));
    }

    private Attach linked(Attach attach) {
        attach.setRcvSettleMode(any(ReceiverSettleMode.values()));
        attach.setSndSettleMode(any(SenderSettleMode.values()));
        attach.setIncompleteUnsettled(random.nextInt(6) == 0);
        if (random.nextInt(3) == 0) {
            Map<Binary, DeliveryState> unsettled = new HashMap<>();
            for (int n = random.nextInt(4); n > 0; n--) {
                unsettled.put(random.nextBoolean() ? tag(random.nextInt(6)) : bytes(4), state());
            }
            attach.setUnsettled(unsettled);
        }
        return attach;
    }

    private DescribedType filter() {
        boolean noLocal = random.nextInt(4) == 0;
        Object text = any(SELECTORS);
        long code = noLocal ? 0x0000468C00000003L : 0x0000468C00000004L;
        return new DescribedType() {
            @Override
            public Object getDescriptor() {
                return UnsignedLong.valueOf(code);
            }

            @Override
            public Object getDescribed() {
                return noLocal ? List.of() : text;
            }
        };
    }

    private Transfer transfer(int handle) {
        Transfer transfer = ScriptedPeer.transfer(handle, deliveryId++);
        transfer.setMore(random.nextInt(8) == 0);
        transfer.setAborted(random.nextInt(12) == 0);
        transfer.setResume(random.nextInt(6) == 0);
        transfer.setSettled(random.nextInt(4) == 0);
        if (random.nextInt(4) == 0) {
            transfer.setRcvSettleMode(any(ReceiverSettleMode.values()));
        }
        if (random.nextInt(4) == 0) {
            transfer.setState(state());
        }
        return transfer;
    }

    private Flow flow() {
        Flow flow = ScriptedPeer.sessionFlow(random.nextInt(50));
        flow.setHandle(random.nextInt(4) == 0 ? null : UnsignedInteger.valueOf(random.nextInt(2)));
        flow.setDeliveryCount(UnsignedInteger.valueOf(random.nextInt(3)));
        flow.setLinkCredit(UnsignedInteger.valueOf(random.nextInt(20)));
        flow.setDrain(random.nextInt(3) == 0);
        flow.setEcho(random.nextInt(3) == 0);
        return flow;
    }

    private Disposition disposition() {
        Disposition disposition = new Disposition();
        disposition.setRole(random.nextInt(4) == 0 ? Role.SENDER : Role.RECEIVER);
        int first = random.nextInt(6) - 1;
        disposition.setFirst(UnsignedInteger.valueOf(first));
        disposition.setLast(random.nextBoolean() ? null : UnsignedInteger.valueOf(first + random.nextInt(4)));
        disposition.setState(state());
        disposition.setSettled(random.nextBoolean());
        return disposition;
    }

    private DeliveryState state() {
        return switch (random.nextInt(8)) {
            case 0, 1 -> Accepted.getInstance();
            case 2 -> Released.getInstance();
            case 3 -> new Rejected();
            case 4 -> {
                Modified modified = new Modified();
                modified.setDeliveryFailed(random.nextBoolean());
                modified.setUndeliverableHere(random.nextBoolean());
                yield modified;
            }
            case 5 -> {
                Received received = new Received();
                received.setSectionNumber(UnsignedInteger.ZERO);
                received.setSectionOffset(UnsignedLong.valueOf(random.nextInt(9)));
                yield received;
            }
            case 6 -> {
                TransactionalState transactional = new TransactionalState();
                transactional.setTxnId(bytes(1 + random.nextInt(4)));
                transactional.setOutcome(Accepted.getInstance());
                yield transactional;
            }
            default -> null;
        };
    }

    // ---- parts -----------------------------------------------------------------------------------------------

    private static Binary tag(int id) {
        return new Binary(new byte[] {0, 0, 0, (byte) id});
    }

    private Binary bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return new Binary(bytes);
    }

    private static byte[] message(Object body) {
        ByteBuf out = Unpooled.buffer();
        PerformativeCodec.ofThread().write(new AmqpValue(body), out);
        return ByteBufUtil.getBytes(out);
    }

    @SafeVarargs
    private <T> T any(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private void say(Object performative, byte... payload) {
        frames.add(peer.frame(0, performative, payload));
    }

    /** Flips, cuts, repeats, drops or moves some frames. */
    static void mutate(List<byte[]> frames, Random random) {
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            int at = random.nextInt(frames.size());
            byte[] frame = frames.get(at);
            if (frame.length <= 8) {
                continue;
            }
            switch (random.nextInt(6)) {
                case 0 -> frames.remove(at);
                case 1 -> frames.add(at, frame);
                case 2 -> frames.set(at, Arrays.copyOf(frame, random.nextInt(frame.length)));
                case 3 -> frames.add(frames.remove(at));
                default -> {
                    byte[] flipped = frame.clone();
                    // Behind the header most of the time: framing errors are found soon.
                    int from = random.nextInt(8) == 0 ? 0 : 8;
                    flipped[from + random.nextInt(flipped.length - from)] ^= (byte) (1 << random.nextInt(8));
                    frames.set(at, flipped);
                }
            }
        }
    }
}
