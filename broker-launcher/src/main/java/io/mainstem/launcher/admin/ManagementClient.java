package io.mainstem.launcher.admin;

import io.mainstem.amqp.v1.management.Response;
import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.mainstem.launcher.lifecycle.ExitCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;

/** Asks a broker's node {@code /management}, one request at a time. Thread: one. */
public final class ManagementClient implements AutoCloseable {
    private static final String NODE = "/management";
    private static final int TIMEOUT_MS = 10_000;
    private static final int RESPONSE_BYTES_MAX = 64 << 20;
    private static final int WINDOW = 1 << 20;
    private static final UnsignedInteger REQUESTS = UnsignedInteger.ZERO;
    private static final UnsignedInteger RESPONSES = UnsignedInteger.ONE;

    private final BrokerUrl url;
    private final FrameSocket socket;
    private int sent;
    /** Requests that may be sent in all, by the broker's last flow. */
    private int granted;

    private int received;

    private ManagementClient(BrokerUrl url, FrameSocket socket) {
        this.url = url;
        this.socket = socket;
    }

    /**
     * Connects and logs in.
     *
     * @param user null = anonymous
     * @throws ManagementFailure if that does not work
     */
    public static ManagementClient connect(BrokerUrl url, @Nullable String user, @Nullable String password) {
        return connect(url, user, password, (SSLSocketFactory) SSLSocketFactory.getDefault());
    }

    /** As above, for a client that trusts what {@code tls} trusts. */
    static ManagementClient connect(
            BrokerUrl url, @Nullable String user, @Nullable String password, SSLSocketFactory tls) {
        FrameSocket socket;
        try {
            socket = new FrameSocket(url.host(), url.port(), url.secure() ? tls : null, TIMEOUT_MS);
        } catch (IOException e) {
            throw unreachable(url, e);
        }
        ManagementClient client = new ManagementClient(url, socket);
        try {
            client.open(user, password);
            return client;
        } catch (IOException e) {
            client.abandon();
            throw ended(url, e);
        } catch (RuntimeException e) {
            client.abandon();
            throw e;
        }
    }

    private void abandon() {
        try {
            socket.close();
        } catch (IOException gone) {
            // What is wrong with it is told already.
        }
    }

    /** @throws ManagementFailure if the broker cannot be asked, or answers with an error */
    public @Nullable Object ask(String method, String path, @Nullable Object body) {
        try {
            Properties properties = new Properties();
            properties.setMessageId(UnsignedLong.valueOf(sent));
            properties.setTo(path);
            properties.setSubject(method);
            properties.setReplyTo("$me");
            ByteBuf message = Unpooled.buffer();
            PerformativeCodec.ofThread().write(properties, message);
            PerformativeCodec.ofThread().write(new AmqpValue(body), message);
            Transfer transfer = new Transfer();
            transfer.setHandle(REQUESTS);
            transfer.setDeliveryId(UnsignedInteger.valueOf(sent));
            transfer.setDeliveryTag(new Binary(Integer.toString(sent).getBytes(StandardCharsets.US_ASCII)));
            transfer.setSettled(true);
            awaitCredit();
            sent++;
            socket.send(false, transfer, ByteBufUtil.getBytes(message));
            return checked(response());
        } catch (IOException e) {
            throw ended(url, e);
        }
    }

    @Override
    public void close() {
        try (socket) {
            socket.send(false, new Close());
        } catch (IOException gone) {
            // It was to go anyway.
        }
    }

    // ---- connecting ------------------------------------------------------------------------------------------

    private void open(@Nullable String user, @Nullable String password) throws IOException {
        socket.header(true);
        new SaslLogin(url, socket, socket.isPrivate()).run(user, password);
        socket.header(false);
        Open open = new Open();
        // One of its own: a link name that comes again from the same container is taken from the older connection.
        open.setContainerId("mainstem-command-" + UUID.randomUUID());
        open.setHostname("vhost:" + url.virtualHost());
        socket.send(false, open);
        await(Open.class);
        Begin begin = new Begin();
        begin.setNextOutgoingId(UnsignedInteger.ZERO);
        begin.setIncomingWindow(UnsignedInteger.valueOf(WINDOW));
        begin.setOutgoingWindow(UnsignedInteger.valueOf(WINDOW));
        socket.send(false, begin);
        await(Begin.class);
        socket.send(false, attach(Role.RECEIVER, RESPONSES));
        await(Attach.class);
        socket.send(false, attach(Role.SENDER, REQUESTS));
        awaitCredit();
    }

    private void awaitCredit() throws IOException {
        while (granted - sent <= 0) {
            await(Flow.class);
        }
    }

    private static Attach attach(Role role, UnsignedInteger handle) {
        Attach attach = new Attach();
        attach.setName("mainstem-command");
        attach.setHandle(handle);
        attach.setRole(role);
        attach.setSndSettleMode(SenderSettleMode.SETTLED);
        attach.setRcvSettleMode(ReceiverSettleMode.FIRST);
        attach.setProperties(Map.of(Symbol.valueOf("paired"), true));
        Source source = new Source();
        source.setAddress(NODE);
        attach.setSource(source);
        Target target = new Target();
        target.setAddress(NODE);
        attach.setTarget(target);
        if (role == Role.SENDER) {
            attach.setInitialDeliveryCount(UnsignedInteger.ZERO);
        }
        return attach;
    }

    /** The next frame of that kind; an error that comes first is thrown. */
    private FrameSocket.Frame await(Class<?> kind) throws IOException {
        while (true) {
            FrameSocket.Frame frame = socket.read();
            if (frame.body() instanceof Flow flow && REQUESTS.equals(flow.getHandle())) {
                granted = flow.getDeliveryCount().intValue()
                        + flow.getLinkCredit().intValue();
            }
            if (kind.isInstance(frame.body())) {
                return frame;
            }
            ErrorCondition error = error(frame.body());
            if (error != null) {
                throw refusal(error);
            }
        }
    }

    private static @Nullable ErrorCondition error(Object body) {
        if (body instanceof Close close) {
            return close.getError() == null ? new ErrorCondition() : close.getError();
        }
        if (body instanceof End end) {
            return end.getError() == null ? new ErrorCondition() : end.getError();
        }
        if (body instanceof Detach detach) {
            return detach.getError() == null ? new ErrorCondition() : detach.getError();
        }
        return null;
    }

    private ManagementFailure refusal(ErrorCondition error) {
        boolean permission = Symbol.valueOf("amqp:unauthorized-access").equals(error.getCondition());
        return new ManagementFailure(
                permission ? ExitCode.NOT_PERMITTED : ExitCode.UNREACHABLE,
                "MS-0131 " + url + " ends the connection: " + error.getCondition() + " " + error.getDescription());
    }

    // ---- answers ---------------------------------------------------------------------------------------------

    private Response response() throws IOException {
        Flow flow = new Flow();
        flow.setNextIncomingId(UnsignedInteger.ZERO);
        flow.setIncomingWindow(UnsignedInteger.valueOf(WINDOW));
        flow.setNextOutgoingId(UnsignedInteger.valueOf(sent));
        flow.setOutgoingWindow(UnsignedInteger.valueOf(WINDOW));
        flow.setHandle(RESPONSES);
        flow.setDeliveryCount(UnsignedInteger.valueOf(received));
        flow.setLinkCredit(UnsignedInteger.ONE);
        socket.send(false, flow);
        ByteBuf message = Unpooled.buffer();
        boolean more = true;
        while (more) {
            FrameSocket.Frame frame = await(Transfer.class);
            message.writeBytes(frame.payload());
            more = ((Transfer) frame.body()).getMore();
            if (message.readableBytes() > RESPONSE_BYTES_MAX) {
                throw new IOException("response of more than " + RESPONSE_BYTES_MAX + " bytes");
            }
        }
        received++;
        return decode(message);
    }

    private static Response decode(ByteBuf message) throws IOException {
        int status = 0;
        Object body = null;
        while (message.isReadable()) {
            Object section = PerformativeCodec.ofThread().readTrusted(message, message.writerIndex());
            if (section instanceof Properties properties) {
                status = Integer.parseInt(properties.getSubject());
            } else if (section instanceof AmqpValue value) {
                body = value.getValue();
            }
        }
        if (status == 0) {
            throw new IOException("response without status");
        }
        return new Response(status, body);
    }

    private static @Nullable Object checked(Response response) {
        if (response.status() < 300) {
            return response.body();
        }
        ExitCode code = switch (response.status()) {
            case 403 -> ExitCode.NOT_PERMITTED;
            case 404 -> ExitCode.NO_SUCH;
            default -> ExitCode.REQUEST_REFUSED;
        };
        throw new ManagementFailure(code, "MS-0132 refused (" + response.status() + "): " + response.body());
    }

    /** Somebody answered: what went wrong came later. */
    private static ManagementFailure ended(BrokerUrl url, IOException cause) {
        String what = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return new ManagementFailure(
                ExitCode.UNREACHABLE,
                "MS-0139 " + url + " was reached, but the request came to nothing: " + what
                        + " fix: see the broker's log; if that says nothing, another program listens there, or one that"
                        + " wants TLS (amqps://).");
    }

    private static ManagementFailure unreachable(BrokerUrl url, IOException cause) {
        if (cause instanceof SSLException) {
            return new ManagementFailure(
                    ExitCode.UNREACHABLE,
                    "MS-0136 no TLS with " + url + ": " + cause.getMessage()
                            + " fix: use the host name that is in the broker's certificate, and let this Java trust who"
                            + " issued it (JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore=FILE).");
        }
        return new ManagementFailure(
                ExitCode.UNREACHABLE,
                "MS-0130 no broker answers at " + url + ": " + cause
                        + " fix: see that it runs ('mainstem start'), or give its address by --url.");
    }
}
