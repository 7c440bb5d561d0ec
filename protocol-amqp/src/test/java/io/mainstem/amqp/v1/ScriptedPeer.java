package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.FrameReader;
import io.mainstem.amqp.v1.wire.FrameWriter;
import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Consumer;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;

/** A peer that says exactly what a test tells it to, right or wrong, frame by frame, on a blocking socket. */
final class ScriptedPeer implements AutoCloseable {
    private static final int READ_TIMEOUT_MS = 60_000;

    private final Socket socket;
    private final DataInputStream in;
    private final FrameWriter writer = new FrameWriter();

    /** What came. */
    record Frame(int type, int channel, @Nullable Object body, byte[] payload) {}

    ScriptedPeer(InetSocketAddress address) throws IOException {
        this(new Socket(address.getAddress(), address.getPort()));
    }

    /** @param connected to the broker; closed with the peer */
    ScriptedPeer(Socket connected) throws IOException {
        socket = connected;
        socket.setSoTimeout(READ_TIMEOUT_MS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
    }

    // ---- bytes -----------------------------------------------------------------------------------------------

    void bytes(byte... raw) throws IOException {
        socket.getOutputStream().write(raw);
    }

    byte[] readBytes(int count) throws IOException {
        return in.readNBytes(count);
    }

    /** True if the broker closed; what it sent before is dropped. */
    boolean isClosedByPeer() {
        try {
            in.readAllBytes();
            return true;
        } catch (IOException reset) {
            return true;
        }
    }

    // ---- frames ----------------------------------------------------------------------------------------------

    void send(int channel, @Nullable Object performative, byte... payload) throws IOException {
        bytes(frame(channel, performative, payload));
    }

    byte[] frame(int channel, @Nullable Object performative, byte... payload) {
        ByteBuf out = Unpooled.buffer();
        writer.write(out, FrameReader.AMQP, channel, performative);
        out.writeBytes(payload);
        writer.end(out, 0);
        return ByteBufUtil.getBytes(out);
    }

    /** A frame around any bytes. */
    static byte[] rawFrame(int type, int channel, byte... body) {
        ByteBuf out = Unpooled.buffer();
        out.writeInt(8 + body.length)
                .writeByte(2)
                .writeByte(type)
                .writeShort(channel)
                .writeBytes(body);
        return ByteBufUtil.getBytes(out);
    }

    void sasl(Object body) throws IOException {
        ByteBuf out = Unpooled.buffer();
        writer.write(out, FrameReader.SASL, 0, body);
        bytes(ByteBufUtil.getBytes(out));
    }

    /** The next frame that is no heartbeat. */
    Frame read() throws IOException {
        while (true) {
            int size = in.readInt();
            ByteBuf frame = Unpooled.wrappedBuffer(in.readNBytes(size - 4));
            if (frame.readableBytes() < size - 4) {
                throw new EOFException("within a frame of " + size + " bytes");
            }
            int type = frame.getUnsignedByte(1);
            int channel = frame.getUnsignedShort(2);
            frame.skipBytes(4);
            if (frame.isReadable()) {
                Object body = PerformativeCodec.ofThread().read(frame, frame.writerIndex());
                return new Frame(type, channel, body, ByteBufUtil.getBytes(frame));
            }
        }
    }

    /** The next frame, which must have such a body. */
    <T> T expect(Class<T> type) throws IOException {
        return type.cast(read().body());
    }

    /** The first frame from here on with such a body; others are passed over. */
    Frame await(Class<?> type) throws IOException {
        Frame frame = read();
        while (!type.isInstance(frame.body())) {
            frame = read();
        }
        return frame;
    }

    <T> T awaitBody(Class<T> type) throws IOException {
        return type.cast(await(type).body());
    }

    /** Name of the error with which the broker closes the connection. */
    String closeError() throws IOException {
        Close close = awaitBody(Close.class);
        return close.getError() == null
                ? "none"
                : close.getError().getCondition().toString();
    }

    // ---- phrases ---------------------------------------------------------------------------------------------

    /** Exchanges protocol headers without SASL. */
    void header() throws IOException {
        bytes(AmqpProtocol.AMQP_HEADER);
        readBytes(AmqpProtocol.AMQP_HEADER.length);
    }

    Open open(String containerId) throws IOException {
        return open(containerId, open -> {});
    }

    Open open(String containerId, Consumer<Open> change) throws IOException {
        header();
        Open open = new Open();
        open.setContainerId(containerId);
        change.accept(open);
        send(0, open);
        return expect(Open.class);
    }

    Begin begin(int channel) throws IOException {
        return begin(channel, 2048);
    }

    Begin begin(int channel, int incomingWindow) throws IOException {
        Begin begin = new Begin();
        begin.setNextOutgoingId(UnsignedInteger.ZERO);
        begin.setIncomingWindow(UnsignedInteger.valueOf(incomingWindow));
        begin.setOutgoingWindow(UnsignedInteger.valueOf(2048));
        send(channel, begin);
        return expect(Begin.class);
    }

    /** Attaches a link on which this peer sends. */
    Attach attachSender(int handle, @Nullable String address, Symbol... capabilities) throws IOException {
        Target target = new Target();
        target.setAddress(address);
        target.setCapabilities(capabilities);
        send(0, senderAttach(handle, target));
        return expect(Attach.class);
    }

    static Attach senderAttach(int handle, org.apache.qpid.proton.amqp.transport.@Nullable Target target) {
        Attach attach = attach("out-" + handle, handle, Role.SENDER);
        attach.setSource(new Source());
        attach.setTarget(target);
        attach.setInitialDeliveryCount(UnsignedInteger.ZERO);
        return attach;
    }

    /** Attaches a link on which the broker sends. */
    Attach attachReceiver(int handle, String address, Symbol... capabilities) throws IOException {
        Source source = new Source();
        source.setAddress(address);
        source.setCapabilities(capabilities);
        send(0, receiverAttach(handle, source));
        return expect(Attach.class);
    }

    static Attach receiverAttach(int handle, @Nullable Source source) {
        Attach attach = attach("in-" + handle, handle, Role.RECEIVER);
        attach.setSource(source);
        attach.setTarget(new Target());
        return attach;
    }

    private static Attach attach(String name, int handle, Role role) {
        Attach attach = new Attach();
        attach.setName(name);
        attach.setHandle(UnsignedInteger.valueOf(handle));
        attach.setRole(role);
        attach.setSndSettleMode(SenderSettleMode.MIXED);
        attach.setRcvSettleMode(ReceiverSettleMode.FIRST);
        return attach;
    }

    /** @param closed the link is over, not only detached */
    static Detach detach(int handle, boolean closed) {
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.valueOf(handle));
        detach.setClosed(closed);
        return detach;
    }

    static Transfer transfer(int handle, int deliveryId) {
        Transfer transfer = new Transfer();
        transfer.setHandle(UnsignedInteger.valueOf(handle));
        transfer.setDeliveryId(UnsignedInteger.valueOf(deliveryId));
        transfer.setDeliveryTag(new Binary(new byte[] {(byte) (deliveryId >> 8), (byte) deliveryId}));
        return transfer;
    }

    /** Gives credit to a receiving link. */
    void credit(int handle, int deliveryCount, int credit, boolean drain) throws IOException {
        Flow flow = sessionFlow(2048);
        flow.setHandle(UnsignedInteger.valueOf(handle));
        flow.setDeliveryCount(UnsignedInteger.valueOf(deliveryCount));
        flow.setLinkCredit(UnsignedInteger.valueOf(credit));
        flow.setDrain(drain);
        send(0, flow);
    }

    static Flow sessionFlow(int incomingWindow) {
        Flow flow = new Flow();
        flow.setNextIncomingId(UnsignedInteger.ZERO);
        flow.setIncomingWindow(UnsignedInteger.valueOf(incomingWindow));
        flow.setNextOutgoingId(UnsignedInteger.ZERO);
        flow.setOutgoingWindow(UnsignedInteger.valueOf(2048));
        return flow;
    }

    /** A message of one data section. */
    static byte[] data(byte... body) {
        ByteBuf out = Unpooled.buffer();
        out.writeMedium(0x005375).writeByte(0xb0).writeInt(body.length).writeBytes(body);
        return ByteBufUtil.getBytes(out);
    }

    /** A message of properties with an address, and one data section. */
    static byte[] dataTo(String to, byte... body) {
        Properties properties = new Properties();
        properties.setTo(to);
        ByteBuf out = Unpooled.buffer();
        PerformativeCodec.ofThread().write(properties, out);
        out.writeBytes(data(body));
        return ByteBufUtil.getBytes(out);
    }

    /** A durable message of one data section. */
    static byte[] durable(byte... body) {
        ByteBuf out = Unpooled.buffer();
        out.writeMedium(0x005370).writeByte(0xc0).writeByte(2).writeByte(1).writeByte(0x41);
        out.writeBytes(data(body));
        return ByteBufUtil.getBytes(out);
    }

    /** The body of a delivered message of one data section, whatever comes before it. */
    static byte[] bodyOf(byte[] payload) {
        for (int at = 0; at + 8 <= payload.length; at++) {
            if (payload[at] == 0 && payload[at + 1] == 0x53 && payload[at + 2] == 0x75) {
                int from = at + ((payload[at + 3] & 0xff) == 0xb0 ? 8 : 5);
                return java.util.Arrays.copyOfRange(payload, from, payload.length);
            }
        }
        throw new AssertionError("no data section in " + ByteBufUtil.hexDump(payload));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
