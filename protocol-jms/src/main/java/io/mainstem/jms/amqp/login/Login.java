package io.mainstem.jms.amqp.login;

import io.mainstem.jms.amqp.login.Mechanism.LoginException;
import io.mainstem.jms.amqp.login.Mechanism.OneMessage;
import io.mainstem.jms.options.Endpoint;
import io.mainstem.jms.options.Options;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.ResourceAllocationException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.apache.qpid.proton.engine.Sasl;
import org.apache.qpid.proton.engine.SaslListener;
import org.apache.qpid.proton.engine.Transport;
import org.jspecify.annotations.Nullable;

/**
 * The SASL layer, the client's side: chooses the strongest mechanism that both sides know and the options allow. Thread:
 * the event loop of its connection.
 */
public final class Login implements SaslListener {
    private static final int NONCE_BYTES = 24;
    private static final String PLAIN = "PLAIN";
    private static final String PASSWORD = "give the user's name and password to the factory";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Endpoint endpoint;
    private final Options options;
    private final Way way;
    private final DerivedKeys keys;
    private @Nullable Mechanism mechanism;

    /** The connection that somebody logs in on. Thread: the event loop, except {@link #run}. */
    public interface Way {
        /** Told once if there will be no login. */
        void refused(JMSException reason);

        /** True if nobody between here and the broker can read what is sent. */
        boolean isPrivate();

        /** Runs it on the event loop if the connection is still there; what it wants to send leaves. */
        void run(Runnable change);
    }

    /** @param keys of other logins of this factory */
    public Login(Endpoint endpoint, Options options, DerivedKeys keys, Way way) {
        this.endpoint = endpoint;
        this.options = options;
        this.keys = keys;
        this.way = way;
    }

    @Override
    public void onSaslMechanisms(Sasl sasl, Transport transport) {
        List<String> offered = List.of(sasl.getRemoteMechanisms());
        Mechanism chosen = choose(offered);
        if (chosen == null && offered.contains(PLAIN) && options.username() != null && !mayShowPassword()) {
            refuse(
                    "offers " + offered + ": the password of user '" + options.username()
                            + "' is not sent where others can read it",
                    "use amqps://, or a broker that offers SCRAM-SHA-256; amqp.plainWithoutTls=true sends it all the"
                            + " same");
            return;
        }
        if (chosen == null) {
            refuse(
                    "offers " + offered + ", of which none fits the user name, password or certificate that are given",
                    options.wire().saslMechanisms().isEmpty()
                            ? PASSWORD
                            : "see amqp.saslMechanisms; EXTERNAL needs transport.keyStoreLocation");
            return;
        }
        mechanism = chosen;
        sasl.setMechanisms(chosen.name());
        byte[] first = chosen.first();
        sasl.send(first, 0, first.length);
    }

    private @Nullable Mechanism choose(List<String> offered) {
        List<String> allowed = options.wire().saslMechanisms();
        String username = options.username();
        List<String> candidates = username == null
                ? options.tls().keyStore() != null && endpoint.scheme().tls()
                        ? List.of("EXTERNAL", "ANONYMOUS")
                        : List.of("ANONYMOUS")
                : List.of(Scram.SHA_512, Scram.SHA_256, PLAIN, "EXTERNAL");
        for (String candidate : allowed.isEmpty() ? candidates : allowed) {
            if (offered.contains(candidate)) {
                Mechanism made = make(candidate, username);
                if (made != null) {
                    return made;
                }
            }
        }
        return null;
    }

    private @Nullable Mechanism make(String name, @Nullable String username) {
        return switch (name) {
            case "ANONYMOUS" -> OneMessage.anonymous();
            case "EXTERNAL" -> OneMessage.external();
            case PLAIN ->
                username == null || !mayShowPassword() ? null : OneMessage.plain(username, options.password());
            case Scram.SHA_512, Scram.SHA_256 ->
                username == null ? null : new Scram(name, username, options.password(), nonce(), keys);
            default -> null;
        };
    }

    private boolean mayShowPassword() {
        return way.isPrivate() || options.wire().plainWithoutTls();
    }

    private static String nonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public void onSaslChallenge(Sasl sasl, Transport transport) {
        Mechanism running = mechanism;
        if (running == null) {
            refuse("sends a challenge before a mechanism was chosen", PASSWORD);
            return;
        }
        try {
            var unused = running.answer(received(sasl))
                    .whenComplete((answer, failure) -> way.run(() -> answer(sasl, answer, failure)));
        } catch (LoginException e) {
            refuse("is not trusted: " + e.getMessage(), PASSWORD);
        }
    }

    private void answer(Sasl sasl, byte @Nullable [] answer, @Nullable Throwable failure) {
        if (answer != null) {
            sasl.send(answer, 0, answer.length);
        } else if (failure != null) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            refuse("is not trusted: " + cause.getMessage(), PASSWORD);
        }
    }

    @Override
    public void onSaslOutcome(Sasl sasl, Transport transport) {
        Mechanism running = mechanism;
        if (sasl.getOutcome() == Sasl.SaslOutcome.PN_SASL_OK && running != null) {
            try {
                running.accepted(received(sasl));
            } catch (LoginException e) {
                refuse("is not trusted: " + e.getMessage(), PASSWORD);
            }
            return;
        }
        boolean temporary =
                sasl.getOutcome() == Sasl.SaslOutcome.PN_SASL_TEMP || sasl.getOutcome() == Sasl.SaslOutcome.PN_SASL_SYS;
        boolean byCertificate = running != null && running.name().equals("EXTERNAL");
        String who = byCertificate
                ? "the certificate of " + options.tls().keyStore()
                : options.username() == null ? "a client without a name" : "user '" + options.username() + "'";
        if (temporary) {
            // Says nothing about the password: whoever has several brokers or attempts goes on.
            way.refused(new ResourceAllocationException(
                    "MS-0741 broker " + endpoint + " cannot check the login of " + who
                            + " now; fix: try again in a moment; the broker's log says why",
                    "MS-0741"));
            return;
        }
        refuse(
                "refuses the login of " + who,
                byCertificate ? "use a certificate that names a user of the broker" : PASSWORD);
    }

    private static byte[] received(Sasl sasl) {
        byte[] bytes = new byte[sasl.pending()];
        int length = bytes.length == 0 ? 0 : sasl.recv(bytes, 0, bytes.length);
        return length == bytes.length ? bytes : Arrays.copyOf(bytes, Math.max(0, length));
    }

    private void refuse(String what, String fix) {
        way.refused(new JMSSecurityException("MS-0703 broker " + endpoint + " " + what + "; fix: " + fix, "MS-0703"));
    }

    @Override
    public void onSaslInit(Sasl sasl, Transport transport) {
        throw new IllegalStateException("this is a client");
    }

    @Override
    public void onSaslResponse(Sasl sasl, Transport transport) {
        throw new IllegalStateException("this is a client");
    }
}
