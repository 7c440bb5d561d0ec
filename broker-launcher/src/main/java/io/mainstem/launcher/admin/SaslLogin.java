package io.mainstem.launcher.admin;

import io.mainstem.launcher.lifecycle.ExitCode;
import io.mainstem.transport.security.SaslPrep;
import io.mainstem.transport.security.ScramClient;
import io.mainstem.transport.security.ScramHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.security.SaslChallenge;
import org.apache.qpid.proton.amqp.security.SaslCode;
import org.apache.qpid.proton.amqp.security.SaslInit;
import org.apache.qpid.proton.amqp.security.SaslMechanisms;
import org.apache.qpid.proton.amqp.security.SaslOutcome;
import org.apache.qpid.proton.amqp.security.SaslResponse;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of SASL. The password is shown to nobody but a broker behind TLS or on this machine, and even there
 * only if it offers no better way. Thread: one.
 */
final class SaslLogin {
    private static final int NONCE_BYTES = 24;
    private static final String PLAIN = "PLAIN";
    private static final String ANONYMOUS = "ANONYMOUS";

    private final BrokerUrl url;
    private final FrameSocket socket;
    private final boolean confidential;

    /**
     * @param socket after its SASL header
     * @param confidential nobody on the way can read what is sent
     */
    SaslLogin(BrokerUrl url, FrameSocket socket, boolean confidential) {
        this.url = url;
        this.socket = socket;
        this.confidential = confidential;
    }

    /**
     * Logs in.
     *
     * @param user null = anonymous
     * @throws ManagementFailure if the broker refuses, is not the one that knows the password, or would have to be sent
     *     the password in the clear
     */
    void run(@Nullable String user, @Nullable String password) throws IOException {
        List<String> offered = offered();
        if (user == null) {
            init(ANONYMOUS, utf8("mainstem"));
            accepted(null);
            return;
        }
        ScramHash hash = ScramClient.strongest(offered);
        if (hash != null) {
            scram(hash, user, password == null ? "" : password);
        } else if (confidential) {
            init(PLAIN, utf8("\0" + user + "\0" + (password == null ? "" : password)));
            accepted(user);
        } else {
            throw new ManagementFailure(
                    ExitCode.NOT_PERMITTED,
                    "MS-0135 the password of user '" + user + "' is not sent to " + url
                            + ": the connection is not encrypted, and the broker offers only " + offered
                            + " fix: use amqps://, or a broker that offers SCRAM-SHA-256.");
        }
    }

    private List<String> offered() throws IOException {
        if (!(socket.read().body() instanceof SaslMechanisms mechanisms)) {
            throw new IOException("it names no SASL mechanisms");
        }
        return Arrays.stream(mechanisms.getSaslServerMechanisms())
                .map(Symbol::toString)
                .toList();
    }

    private void scram(ScramHash hash, String givenName, String givenPassword) throws IOException {
        String user = SaslPrep.prepare(givenName);
        String password = SaslPrep.prepare(givenPassword);
        if (user == null || password == null) {
            throw refused(givenName);
        }
        ScramClient client = new ScramClient(hash, user, password, nonce());
        init(hash.mechanism(), client.first());
        if (!(socket.read().body() instanceof SaslChallenge first)) {
            throw refused(user);
        }
        byte[] proof = client.last(bytes(first.getChallenge()));
        if (proof == null) {
            throw impostor("its answer is not one of " + hash.mechanism());
        }
        respond(proof);
        Object answer = socket.read().body();
        byte[] signature = new byte[0];
        if (answer instanceof SaslChallenge last) {
            signature = bytes(last.getChallenge());
            respond(new byte[0]);
            answer = socket.read().body();
        }
        SaslOutcome outcome = checked(answer, user);
        if (!client.verifies(signature.length == 0 ? bytes(outcome.getAdditionalData()) : signature)) {
            throw impostor("it does not prove that it knows user '" + user + "'");
        }
    }

    private void init(String mechanism, byte[] response) throws IOException {
        SaslInit init = new SaslInit();
        init.setMechanism(Symbol.valueOf(mechanism));
        init.setInitialResponse(new Binary(response));
        socket.send(true, init);
    }

    private void respond(byte[] message) throws IOException {
        SaslResponse response = new SaslResponse();
        response.setResponse(new Binary(message));
        socket.send(true, response);
    }

    private void accepted(@Nullable String user) throws IOException {
        checked(socket.read().body(), user);
    }

    private SaslOutcome checked(Object answer, @Nullable String user) {
        if (answer instanceof SaslOutcome outcome && outcome.getCode() == SaslCode.OK) {
            return outcome;
        }
        throw refused(user);
    }

    private ManagementFailure refused(@Nullable String user) {
        return new ManagementFailure(
                ExitCode.NOT_PERMITTED,
                "MS-0131 " + url + " refuses "
                        + (user == null ? "to let anybody in without a name" : "user '" + user + "'")
                        + (user == null
                                ? " fix: give --user NAME and its password by --password-file or MAINSTEM_PASSWORD."
                                : " fix: correct the password in --password-file or MAINSTEM_PASSWORD, or set another:"
                                        + " mainstem user passwd."));
    }

    private ManagementFailure impostor(String reason) {
        return new ManagementFailure(
                ExitCode.NOT_PERMITTED,
                "MS-0137 " + url + " is not trusted: " + reason
                        + " fix: see that --url names the broker itself; do not type the password there.");
    }

    private static String nonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] bytes(@Nullable Binary binary) {
        return binary == null
                ? new byte[0]
                : Arrays.copyOfRange(
                        binary.getArray(), binary.getArrayOffset(), binary.getArrayOffset() + binary.getLength());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
