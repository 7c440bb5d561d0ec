package io.mainstem.jms.amqp.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.options.BrokerUri;
import io.mainstem.jms.options.OptionTexts;
import io.mainstem.jms.options.Options;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.ResourceAllocationException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.proton.engine.Sasl;
import org.apache.qpid.proton.engine.Transport;
import org.apache.qpid.proton.engine.impl.TransportImpl;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The client's side of a login, against a broker that is as the test wants it. */
final class SaslLoginTest {
    private final TransportImpl client = new TransportImpl();
    private final TransportImpl broker = new TransportImpl();
    private final List<JMSException> refusals = new ArrayList<>();

    private Sasl login(String uri, boolean isPrivate, String... offered) {
        BrokerUri parsed = BrokerUri.parse(uri);
        Options options = OptionTexts.NONE.over(parsed).toOptions(parsed);
        Sasl served = broker.sasl();
        served.server();
        served.setMechanisms(offered);
        Sasl ours = client.sasl();
        ours.client();
        ours.setListener(new Login(options.endpoints().get(0), options, new DerivedKeys(), new Login.Way() {
            @Override
            public void refused(JMSException reason) {
                refusals.add(reason);
            }

            @Override
            public boolean isPrivate() {
                return isPrivate;
            }

            @Override
            public void run(Runnable change) {
                change.run();
            }
        }));
        exchange();
        return served;
    }

    private void exchange() {
        boolean more = true;
        while (more) {
            boolean sent = move(client, broker);
            more = move(broker, client) || sent;
        }
    }

    private static boolean move(Transport from, Transport to) {
        int pending = from.pending();
        if (pending <= 0 || to.capacity() <= 0) {
            return false;
        }
        ByteBuffer head = from.head();
        int length = Math.min(head.remaining(), to.capacity());
        to.tail().put(head.slice().limit(length));
        to.process();
        from.pop(length);
        return length > 0;
    }

    @Test
    @DisplayName("a password is not sent to another machine in the clear, and the refusal says what to do")
    void plainInTheClear() {
        Sasl served = login("amqp://anna:secret@broker.example", false, "PLAIN", "ANONYMOUS");

        assertThat(served.pending()).isZero();
        assertThat(refusals).singleElement().isInstanceOf(JMSSecurityException.class);
        assertThat(refusals.get(0))
                .hasMessageStartingWith("MS-0703 broker amqp://broker.example:5672 offers [PLAIN, ANONYMOUS]")
                .hasMessageContaining("user 'anna'")
                .hasMessageContaining("fix: use amqps://")
                .hasMessageContaining("amqp.plainWithoutTls=true")
                .hasMessageNotContaining("secret");
    }

    @Test
    @DisplayName("nor if the mechanism is named")
    void plainByName() {
        Sasl served = login("amqp://anna:secret@broker.example?amqp.saslMechanisms=PLAIN", false, "PLAIN");

        assertThat(served.pending()).isZero();
        assertThat(refusals).singleElement().isInstanceOf(JMSSecurityException.class);
    }

    @Test
    @DisplayName("it is if the option says so")
    void plainWhereTold() {
        Sasl served = login("amqp://anna:secret@broker.example?amqp.plainWithoutTls=true", false, "PLAIN");

        assertThat(received(served)).isEqualTo("\0anna\0secret");
        assertThat(refusals).isEmpty();
    }

    @Test
    @DisplayName("and within TLS, this machine and this JVM")
    void plainInPrivate() {
        assertThat(received(login("amqp://anna:secret@broker.example", true, "PLAIN")))
                .isEqualTo("\0anna\0secret");
    }

    private static String received(Sasl sasl) {
        byte[] bytes = new byte[sasl.pending()];
        sasl.recv(bytes, 0, bytes.length);
        return new String(bytes, java.nio.charset.StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @EnumSource(
            value = Sasl.SaslOutcome.class,
            names = {"PN_SASL_TEMP", "PN_SASL_SYS"})
    @DisplayName("a login that cannot be checked now is no refusal: whoever has more attempts goes on")
    void temporary(Sasl.SaslOutcome outcome) {
        Sasl served = login("amqp://anna:secret@broker.example", true, "PLAIN");
        served.done(outcome);
        exchange();

        assertThat(refusals).singleElement().isInstanceOf(ResourceAllocationException.class);
        assertThat(refusals.get(0)).hasMessageStartingWith("MS-0741 ").hasMessageContaining("fix: try again");
    }

    @ParameterizedTest
    @EnumSource(
            value = Sasl.SaslOutcome.class,
            names = {"PN_SASL_AUTH", "PN_SASL_PERM"})
    @DisplayName("a wrong password is final")
    void refused(Sasl.SaslOutcome outcome) {
        Sasl served = login("amqp://anna:secret@broker.example", true, "PLAIN");
        served.done(outcome);
        exchange();

        assertThat(refusals).singleElement().isInstanceOf(JMSSecurityException.class);
        assertThat(refusals.get(0)).hasMessageStartingWith("MS-0703 ");
    }
}
