package io.mainstem.jms.amqp.engine;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.proton.engine.Collector;
import org.apache.qpid.proton.engine.Event;
import org.apache.qpid.proton.engine.impl.TransportImpl;
import org.apache.qpid.proton.framing.TransportFrame;
import org.jspecify.annotations.Nullable;

/**
 * Moves bytes between a socket and the engine, and the engine's events to their owner. What several calls want to send
 * leaves in one write. Thread: the channel's event loop, except {@link #run}.
 */
public final class EnginePump extends ChannelInboundHandlerAdapter {
    private final TransportImpl transport;
    private final @Nullable LocalFrames local;
    private final Collector collector;
    private final Owner owner;
    private @Nullable ChannelHandlerContext context;
    private @Nullable ScheduledFuture<?> tick;
    private @Nullable ScheduledFuture<?> deadline;
    private boolean pumpDue;
    private boolean unflushed;
    private boolean inEvent;
    private boolean started;
    private boolean inChange;
    /** What is to be done, oldest first: one row for all, or what wakes the loop overtakes what does not, or is overtaken. */
    private final Queue<Runnable> changes = new ConcurrentLinkedQueue<>();

    private volatile boolean ended;

    /** The connection above. Thread: the event loop. */
    public interface Owner {
        /** The way to the broker is open: the engine may be opened. */
        void started();

        void event(Event event);

        /** The peer has said that nothing follows. */
        boolean isRemoteClosed();

        /** The socket is gone; called once. */
        void disconnected(@Nullable Throwable cause);
    }

    /** @param local holds the frames that {@code transport} writes, to a broker in this JVM; null: they are its bytes */
    public EnginePump(TransportImpl transport, @Nullable LocalFrames local, Collector collector, Owner owner) {
        this.transport = transport;
        this.local = local;
        this.collector = collector;
        this.owner = owner;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    /** Called when nothing lies between us and the broker any more: connected, or through TLS, or upgraded to WebSocket. */
    void start() {
        if (!started) {
            started = true;
            owner.started();
            tick();
            pump();
        }
    }

    /**
     * Runs a change of the engine on its event loop, behind all that was asked for before; what it wants to send leaves
     * soon after.
     *
     * @return false if the loop has ended, and with it everything
     */
    public boolean run(Runnable change) {
        ChannelHandlerContext open = context;
        if (open == null) {
            return false;
        }
        if (open.executor().inEventLoop() && inChange) {
            change.run(); // Part of the change that asks for it.
            return true;
        }
        changes.add(change);
        return wake(open);
    }

    /**
     * As {@link #run}, but the loop is not woken for it: it is done with the next change that wakes it, within a second in
     * any case. For changes that nobody waits for: waking the loop costs more than most of them.
     *
     * @return false if the loop has ended
     */
    boolean runLater(Runnable change) {
        ChannelHandlerContext open = context;
        if (open == null) {
            return false;
        }
        changes.add(change);
        // Who ends after this look finds the change.
        return !ended || wake(open);
    }

    private boolean wake(ChannelHandlerContext open) {
        if (open.executor().inEventLoop()) {
            runChanges();
            return true;
        }
        try {
            open.executor().execute(this::runChanges);
            return true;
        } catch (RejectedExecutionException loopEnded) {
            return false;
        }
    }

    private void runChanges() {
        if (inChange) {
            return; // They follow.
        }
        inChange = true;
        try {
            for (Runnable change = changes.poll(); change != null; change = changes.poll()) {
                change.run();
            }
        } finally {
            inChange = false;
        }
        pumpSoon();
    }

    /** Gathers what other tasks of this turn of the loop still want. */
    private void pumpSoon() {
        ChannelHandlerContext open = context;
        if (!pumpDue && open != null) {
            pumpDue = true;
            open.executor().execute(this::pump);
        }
    }

    private void pump() {
        pumpDue = false;
        events();
        write();
        ChannelHandlerContext open = context;
        if (open == null) {
            return;
        }
        if (unflushed) {
            unflushed = false;
            open.flush();
        }
        // Not before the peer has closed: with bytes of it unread, the system would take back what was sent last.
        if (transport.pending() < 0 && owner.isRemoteClosed()) {
            var unused = open.close();
        }
    }

    /** What happens in an event may write, and with that cause others: they come after it, and none comes twice. */
    private void events() {
        if (inEvent) {
            return;
        }
        for (Event event = collector.peek(); event != null; event = collector.peek()) {
            inEvent = true;
            try {
                owner.event(event);
            } finally {
                inEvent = false;
                collector.pop();
            }
        }
    }

    /**
     * Gives what the engine has to say to the channel, which sends it with the next flush: what is asked of the engine
     * afterwards comes behind it. By itself the engine puts credit before outcomes.
     */
    void write() {
        ChannelHandlerContext open = context;
        if (open == null || !started || ended) {
            return;
        }
        while (open.channel().isWritable()) {
            int pending = transport.pending();
            if (pending <= 0) {
                if (local == null || !local.drainTo(frames -> write(frames, open))) {
                    break;
                }
                unflushed = true;
                events();
                continue;
            }
            // The head may be longer than what was pending: asking for it, too, makes the engine write frames.
            ByteBuffer head = transport.head();
            int length = head.remaining();
            ByteBuf out = open.alloc().buffer(length);
            out.writeBytes(head);
            transport.pop(length);
            var unused = open.write(out, open.voidPromise());
            unflushed = true;
            events();
        }
    }

    private static void write(Object frames, ChannelHandlerContext to) {
        var unused = to.write(frames, to.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext read, Object message) {
        try {
            if (message instanceof ByteBuf bytes && !ended) {
                feed(bytes);
            } else if (message instanceof TransportFrame[] frames && !ended) {
                for (TransportFrame frame : frames) {
                    transport.handleFrame(frame);
                }
                events();
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void feed(ByteBuf bytes) {
        while (bytes.isReadable()) {
            int room = transport.capacity();
            if (room <= 0) {
                return; // The engine has had enough: it failed, and says so in an event.
            }
            ByteBuffer tail = transport.tail();
            int length = Math.min(Math.min(room, tail.remaining()), bytes.readableBytes());
            tail.limit(tail.position() + length);
            bytes.readBytes(tail);
            transport.process();
            events();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext read) {
        pump();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        pumpSoon();
    }

    /** Sends what keeps the connection alive, and sees whether the broker does the same. */
    private void tick() {
        ChannelHandlerContext open = context;
        if (open == null || ended) {
            return;
        }
        long nowMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        long next = transport.tick(nowMs);
        long inMs = next == 0 ? 1000 : Math.max(10, Math.min(1000, next - nowMs));
        tick = open.executor()
                .schedule(
                        () -> {
                            tick();
                            runChanges();
                        },
                        inMs,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        disconnected(null);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        disconnected(cause);
        var unused = caught.close();
    }

    /** True once there is a socket. Thread: the event loop. */
    public boolean isConnected() {
        ChannelHandlerContext open = context;
        return open != null && open.channel().remoteAddress() != null;
    }

    /** True if the bytes do not leave this machine. Thread: the event loop. */
    public boolean isToThisMachine() {
        ChannelHandlerContext open = context;
        return open != null
                && open.channel().remoteAddress() instanceof InetSocketAddress peer
                && peer.getAddress() != null
                && peer.getAddress().isLoopbackAddress();
    }

    /** Closes the socket, with nothing more to be said. */
    public void cut() {
        ChannelHandlerContext open = context;
        if (open != null) {
            var unused = open.close();
        }
    }

    /** A peer that does not answer a close must not keep the socket. */
    public void cutAfter(long ms) {
        ChannelHandlerContext open = context;
        if (open != null && deadline == null && !ended) {
            deadline = open.executor().schedule(this::cut, ms, TimeUnit.MILLISECONDS);
        }
    }

    private void disconnected(@Nullable Throwable cause) {
        if (!ended) {
            ended = true;
            if (tick != null) {
                tick.cancel(false);
            }
            if (deadline != null) {
                deadline.cancel(false);
            }
            events();
            owner.disconnected(cause);
            runChanges();
        }
    }
}
