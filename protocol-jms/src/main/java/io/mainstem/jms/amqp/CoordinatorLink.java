package io.mainstem.jms.amqp;

import jakarta.jms.JMSException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transaction.Coordinator;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.codec.AMQPDefinedTypes;
import org.apache.qpid.proton.codec.DecoderImpl;
import org.apache.qpid.proton.codec.EncoderImpl;
import org.apache.qpid.proton.codec.ReadableBuffer;
import org.apache.qpid.proton.engine.Delivery;
import org.apache.qpid.proton.engine.Sender;

/** A sender whose target is the coordinator. Thread: the event loop. */
final class CoordinatorLink extends AmqpLink {
    private static final int REQUEST_BYTES_MAX = 512;

    private final Sender engine;
    private final EncoderImpl encoder;
    private final Queue<Asked> waiting = new ArrayDeque<>();
    private final Map<Delivery, CompletableFuture<DeliveryState>> unanswered = new LinkedHashMap<>();
    private long tags;

    private record Asked(Object request, CompletableFuture<DeliveryState> answer) {}

    private CoordinatorLink(EngineSession session, Sender engine) {
        super(session, engine, "transactions");
        this.engine = engine;
        DecoderImpl decoder = new DecoderImpl();
        encoder = new EncoderImpl(decoder);
        AMQPDefinedTypes.registerAllTypes(decoder, encoder);
    }

    static CoordinatorLink attach(EngineSession session) {
        Sender engine = session.sender("coordinator");
        Source source = new Source();
        source.setAddress(engine.getName());
        engine.setSource(source);
        Coordinator target = new Coordinator();
        target.setCapabilities(Symbol.valueOf("amqp:local-transactions"), Symbol.valueOf("amqp:multi-txns-per-ssn"));
        engine.setTarget(target);
        CoordinatorLink link = new CoordinatorLink(session, engine);
        engine.open();
        return link;
    }

    void send(Object request, CompletableFuture<DeliveryState> answer) {
        waiting.add(new Asked(request, answer));
        flow();
    }

    @Override
    boolean granted() {
        return engine.getRemoteTarget() != null;
    }

    @Override
    void onAttached() {
        // Credit follows.
    }

    @Override
    void onEnd(JMSException reason, boolean wasAttached) {
        List<CompletableFuture<DeliveryState>> failed = new ArrayList<>(unanswered.values());
        waiting.forEach(asked -> failed.add(asked.answer()));
        unanswered.clear();
        waiting.clear();
        failed.forEach(answer -> answer.completeExceptionally(reason));
    }

    @Override
    public void flow() {
        while (engine.getCredit() > 0 && !waiting.isEmpty()) {
            Asked asked = waiting.remove();
            ByteBuffer bytes = ByteBuffer.allocate(REQUEST_BYTES_MAX);
            encoder.setByteBuffer(bytes);
            encoder.writeObject(new AmqpValue(asked.request()));
            Delivery delivery = engine.delivery(
                    ByteBuffer.allocate(Long.BYTES).putLong(tags++).array());
            engine.sendNoCopy(ReadableBuffer.ByteBufferReader.wrap(bytes.flip()));
            engine.advance();
            unanswered.put(delivery, asked.answer());
        }
    }

    @Override
    public void delivery(Delivery delivery) {
        DeliveryState state = delivery.getRemoteState();
        if (state == null) {
            return;
        }
        delivery.settle();
        CompletableFuture<DeliveryState> answer = unanswered.remove(delivery);
        if (answer != null) {
            answer.complete(state);
        }
    }
}
