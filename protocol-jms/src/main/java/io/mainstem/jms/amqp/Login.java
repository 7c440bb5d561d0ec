package io.mainstem.jms.amqp;

import io.mainstem.jms.amqp.Mechanism.LoginException;
import io.mainstem.jms.amqp.Mechanism.OneMessage;
import io.mainstem.jms.options.Endpoint;
import io.mainstem.jms.options.Options;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.function.Consumer;
import org.apache.qpid.proton.engine.Sasl;
import org.apache.qpid.proton.engine.SaslListener;
import org.apache.qpid.proton.engine.Transport;
import org.jspecify.annotations.Nullable;

/**
 * The SASL layer, the client's side: chooses the strongest mechanism that both sides know and the options allow. Thread:
 * the event loop of its connection.
 */
final class Login implements SaslListener {
    private static final int NONCE_BYTES = 24;
    private static final String PASSWORD = "give the user's name and password to the factory";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Endpoint endpoint;
    private final Options options;
    private final Consumer<JMSException> refused;
    private @Nullable Mechanism mechanism;

    /** @param refused told once if there will be no login */
    Login(Endpoint endpoint, Options options, Consumer<JMSException> refused) {
        this.endpoint = endpoint;
        this.options = options;
        this.refused = refused;
    }

    @Override
    public void onSaslMechanisms(Sasl sasl, Transport transport) {
        List<String> offered = List.of(sasl.getRemoteMechanisms());
        Mechanism chosen = choose(offered);
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
                : List.of(Scram.SHA_512, Scram.SHA_256, "PLAIN", "EXTERNAL");
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
            case "PLAIN" -> username == null ? null : OneMessage.plain(username, options.password());
            case Scram.SHA_512, Scram.SHA_256 ->
                username == null ? null : new Scram(name, username, options.password(), nonce());
            default -> null;
        };
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
            byte[] answer = running.answer(received(sasl));
            sasl.send(answer, 0, answer.length);
        } catch (LoginException e) {
            refuse("is not trusted: " + e.getMessage(), PASSWORD);
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
        boolean temporary = sasl.getOutcome() == Sasl.SaslOutcome.PN_SASL_TEMP;
        boolean byCertificate = running != null && running.name().equals("EXTERNAL");
        String who = byCertificate
                ? "the certificate of " + options.tls().keyStore()
                : options.username() == null ? "a client without a name" : "user '" + options.username() + "'";
        refuse(
                (temporary ? "cannot check" : "refuses") + " the login of " + who,
                byCertificate ? "use a certificate that names a user of the broker" : PASSWORD);
    }

    private static byte[] received(Sasl sasl) {
        byte[] bytes = new byte[sasl.pending()];
        int length = bytes.length == 0 ? 0 : sasl.recv(bytes, 0, bytes.length);
        return length == bytes.length ? bytes : Arrays.copyOf(bytes, Math.max(0, length));
    }

    private void refuse(String what, String fix) {
        refused.accept(
                new JMSSecurityException("MS-0703 broker " + endpoint + " " + what + "; fix: " + fix, "MS-0703"));
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
