package io.mainstem.launcher.lifecycle;

import io.mainstem.launcher.config.ListenerMode;
import io.mainstem.launcher.config.TransportConfig;
import io.mainstem.launcher.security.FileWatch;
import io.mainstem.transport.ProtocolFactory;
import io.mainstem.transport.tls.TlsConfig;
import io.mainstem.transport.tls.TlsContext;
import io.mainstem.transport.tls.TlsException;
import io.mainstem.transport.tls.TlsProtocol;
import io.mainstem.transport.websocket.Origins;
import io.mainstem.transport.websocket.WebSocketProtocol;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a listener speaks around its protocol: TLS and WebSocket, in any order a client may put them. Thread: any. */
final class Doors {
    private final @Nullable TlsContext tls;
    private final Origins origins;

    private Doors(TransportConfig config, FileWatch watch) throws TlsException {
        TlsConfig certificates = config.tls();
        this.tls = certificates == null ? null : TlsContext.open(certificates, InstantSource.system());
        this.origins = new Origins(config.origins());
        if (certificates != null && tls != null) {
            watch.add(certificates.files(), tls::reload);
        }
    }

    /** @throws StartFailure if a certificate file cannot be used */
    static Doors open(TransportConfig config, FileWatch watch) {
        try {
            return new Doors(config, watch);
        } catch (TlsException e) {
            throw new StartFailure(ExitCode.REFUSED, e);
        }
    }

    /**
     * The protocols of a listener.
     *
     * @param listener for logs
     * @param subprotocols names under which WebSocket clients ask for {@code head}
     */
    List<ProtocolFactory> around(String listener, ProtocolFactory head, ListenerMode mode, String... subprotocols) {
        List<ProtocolFactory> plain = new ArrayList<>(List.of(head));
        if (mode.webSocket()) {
            Map<String, ProtocolFactory> bySubprotocol = new HashMap<>();
            for (String subprotocol : subprotocols) {
                bySubprotocol.put(subprotocol, head);
            }
            plain.add(new WebSocketProtocol(bySubprotocol, origins));
        }
        TlsContext context = tls;
        if (context == null || mode.tls() == ListenerMode.Tls.OFF) {
            return plain;
        }
        TlsProtocol encrypted = new TlsProtocol(listener, context, plain);
        if (mode.tls() == ListenerMode.Tls.REQUIRED) {
            return List.of(encrypted);
        }
        List<ProtocolFactory> both = new ArrayList<>(plain);
        both.add(encrypted);
        return both;
    }

    /** What a listener of that mode speaks, for people. */
    String describe(ListenerMode mode) {
        String text = switch (mode.tls()) {
            case OFF -> "no TLS";
            case OFFERED -> "TLS and plain text";
            case REQUIRED -> "TLS only";
        };
        TlsContext context = tls;
        if (context != null && mode.tls() != ListenerMode.Tls.OFF) {
            text += switch (context.clientCertificates()) {
                case NONE -> "";
                case WANT -> ", client certificates taken";
                case REQUIRE -> ", client certificates required";
            };
        }
        return mode.webSocket() ? text + ", WebSocket" : text;
    }

    /** Subject and end of the broker's certificate, or empty if there is none. */
    String certificate() {
        TlsContext context = tls;
        return context == null ? "" : context.describe();
    }
}
