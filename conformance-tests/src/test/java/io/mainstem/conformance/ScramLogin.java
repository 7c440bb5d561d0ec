package io.mainstem.conformance;

import java.io.IOException;
import org.apache.qpid.jms.sasl.ScramSHA256Mechanism;

/** SCRAM-SHA-256 as a client, by somebody else's code. Thread: one. */
final class ScramLogin {
    private final ScramSHA256Mechanism mechanism = new ScramSHA256Mechanism();

    ScramLogin(String user, String password) {
        mechanism.setUsername(user);
        mechanism.setPassword(password);
    }

    byte[] first() throws IOException {
        return mechanism.getInitialResponse();
    }

    /** @param serverFirst what the broker answered to {@link #first} */
    byte[] last(byte[] serverFirst) throws IOException {
        return mechanism.getChallengeResponse(serverFirst);
    }
}
