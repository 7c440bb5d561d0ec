package io.mainstem.jms.amqp.login;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One way to log in, the client's side of it, for one login. Thread: the event loop of its connection. */
interface Mechanism {
    /** The registered name. */
    String name();

    /** The initial response. */
    byte[] first();

    /**
     * Answers a challenge, on whatever thread.
     *
     * @throws LoginException if it is not what this mechanism expects; or the stage fails with it
     */
    CompletionStage<byte[]> answer(byte[] challenge) throws LoginException;

    /**
     * Called when the broker lets us in.
     *
     * @param proof what it sent with its outcome; may be empty
     * @throws LoginException if it had to prove that it knows the password, too, and did not
     */
    default void accepted(byte[] proof) throws LoginException {}

    /** The broker is not one to log in at. */
    final class LoginException extends Exception {
        private static final long serialVersionUID = 1;

        LoginException(String message) {
            super(message);
        }
    }

    /** A mechanism of one message. */
    record OneMessage(String name, byte[] first) implements Mechanism {
        static OneMessage anonymous() {
            return new OneMessage("ANONYMOUS", utf8("mainstem-jms"));
        }

        static OneMessage external() {
            return new OneMessage("EXTERNAL", new byte[0]);
        }

        static OneMessage plain(String username, @Nullable String password) {
            return new OneMessage("PLAIN", utf8("\0" + username + "\0" + (password == null ? "" : password)));
        }

        private static byte[] utf8(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public CompletionStage<byte[]> answer(byte[] challenge) throws LoginException {
            throw new LoginException("it sends a challenge, which " + name + " has none of");
        }
    }
}
