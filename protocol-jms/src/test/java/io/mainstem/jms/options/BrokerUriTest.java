package io.mainstem.jms.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.options.Endpoint.Scheme;
import jakarta.jms.JMSRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** URIs of brokers and their options: what is taken, and how the rest is refused. */
final class BrokerUriTest {
    private static Options options(String uri) {
        BrokerUri parsed = BrokerUri.parse(uri);
        return OptionTexts.NONE.over(parsed).toOptions(parsed);
    }

    @ParameterizedTest
    @CsvSource({
        "amqp://host, AMQP, host, 5672, ''",
        "amqp://host/, AMQP, host, 5672, ''",
        "AMQP://host:1, AMQP, host, 1, ''",
        "amqps://host, AMQPS, host, 5671, ''",
        "amqpws://host, AMQPWS, host, 80, /",
        "amqpwss://host:8443/amqp, AMQPWSS, host, 8443, /amqp",
        "amqp://10.0.0.1:65535, AMQP, 10.0.0.1, 65535, ''",
        "'amqp://[::1]:5', AMQP, ::1, 5, ''",
        "'amqp://[::1]', AMQP, ::1, 5672, ''",
        "amqp://my_host:7, AMQP, my_host, 7, ''",
        "vm://embedded, VM, embedded, 0, ''"
    })
    @DisplayName("A scheme, a host, and the port or the scheme's own")
    void endpointsAreRead(String uri, Scheme scheme, String host, int port, String path) {
        assertThat(BrokerUri.parse(uri).endpoints()).containsExactly(new Endpoint(scheme, host, port, path));
        assertThat(BrokerUri.parse(uri).failover()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "localhost:5672 | MS-0770 | begin with amqp",
                "tcp://host:61616 | MS-0770 | write amqp://",
                "ssl://host | MS-0770 | write amqps://",
                "http://host | MS-0770 | write amqp, amqps",
                "amqp:// | MS-0770 | no host",
                "amqp://host:0 | MS-0770 | 1 to 65535",
                "amqp://host:70000 | MS-0770 | 1 to 65535",
                "amqp://host:x | MS-0770 | port 'x'",
                "amqp://host/vhost | MS-0770 | amqp.vhost",
                "vm://name:1 | MS-0770 | leave it out",
                "amqp://host?jms.prefetch | MS-0770 | name=value",
                "amqp://host?=1 | MS-0770 | name=value",
                "amqp://host?jms.clientID=%zz | MS-0770 | %25",
                "failover:amqp://a | MS-0770 | parentheses",
                "failover:(amqp://a)x | MS-0770 | begin the options with ?",
                "failover:() | MS-0770 | no scheme",
                "failover:(vm://a) | MS-0770 | needs no failover",
                "amqp://host?failover.randomize=true | MS-0770 | failover:(amqp://host:5672)",
                "amqp://host?jms.prefetsh=1 | MS-0771 | nearest: jms.prefetch;",
                "amqp://host?jms.clientid=1 | MS-0771 | nearest: jms.clientID;",
                "amqp://host?idleTimeout=1 | MS-0771 | nearest: amqp.idleTimeout;",
                "amqp://host?jms.prefetch=-1 | MS-0772 | 0 to 100000",
                "amqp://host?jms.prefetch=many | MS-0772 | found 'many'",
                "amqp://host?jms.sendTimeout=-1 | MS-0772 | milliseconds",
                "amqp://host?transport.tcpNoDelay=yes | MS-0772 | true or false",
                "amqp://u@host?jms.username=v | MS-0773 | jms.username",
                "failover:(amqp://a?amqp.idleTimeout=1,amqp://b?amqp.idleTimeout=2) | MS-0773 | amqp.idleTimeout",
                "failover:(amqp://a)?failover.reconnectDelay=9&failover.maxReconnectDelay=8 | MS-0774 | delay"
            })
    @DisplayName("What is wrong is named with what was found, what is wanted and how to mend it")
    void wrongUrisAreRefusedByName(String uri, String code, String part) {
        assertThatThrownBy(() -> options(uri.trim()))
                .isInstanceOf(JMSRuntimeException.class)
                .hasMessageStartingWith(code.trim() + " ")
                .hasMessageContaining(part.trim())
                .hasMessageContaining("fix: ")
                .satisfies(e ->
                        assertThat(((JMSRuntimeException) e).getErrorCode()).isEqualTo(code.trim()));
    }

    @Test
    @DisplayName("No refusal shows a password")
    void refusalsShowNoPassword() {
        for (String uri : List.of(
                "amqp://anna:secret@host:0", "amqp://host:0?jms.password=secret&x=1", "tcp://anna:secret@host")) {
            assertThatThrownBy(() -> options(uri)).hasMessageNotContaining("secret");
        }
        assertThat(BrokerUri.parse("amqp://anna:secret@host").toString()).doesNotContain("secret");
        assertThat(options("amqp://anna:secret@host").toString()).doesNotContain("secret");
    }

    @Test
    @DisplayName("Every option of a URI arrives where it is used")
    void everyOptionArrives() {
        Options options =
                options("failover:(amqp://a:1,amqps://b?transport.verifyHost=false)?jms.username=u&jms.password=p%26"
                        + "&jms.clientID=c+d&jms.connectTimeout=1&jms.requestTimeout=2&jms.sendTimeout=3&jms.closeTimeout=4"
                        + "&jms.prefetch=5&jms.prefetchBytes=6&jms.redeliveriesMax=7&jms.asyncNonPersistent=false"
                        + "&jms.validatePropertyNames=false&jms.expireLocally=false&jms.trustedPackages=a.b,%20c&jms.dedup=false"
                        + "&amqp.vhost=v&amqp.idleTimeout=8&amqp.maxFrameSize=512&amqp.saslMechanisms=PLAIN,ANONYMOUS&amqp.plainWithoutTls=true"
                        + "&transport.tcpNoDelay=false&transport.keyStoreLocation=k&transport.keyStorePassword=kp"
                        + "&transport.trustStoreLocation=t&transport.trustStorePassword=tp&transport.enabledProtocols=TLSv1.3"
                        + "&failover.initialReconnectDelay=9&failover.reconnectDelay=10&failover.maxReconnectDelay=11"
                        + "&failover.maxReconnectAttempts=12&failover.startupMaxReconnectAttempts=13&failover.randomize=true"
                        + "&jms.populateJMSXUserID=true");

        assertThat(options)
                .isEqualTo(new Options(
                        List.of(new Endpoint(Scheme.AMQP, "a", 1, ""), new Endpoint(Scheme.AMQPS, "b", 5671, "")),
                        "u",
                        "p&",
                        "c+d",
                        new Timeouts(1, 2, 3, 4),
                        new DeliveryOptions(5, 6, 7, false, false, false, Set.of("a.b", "c"), false),
                        new WireOptions("v", 8, 512, false, List.of("PLAIN", "ANONYMOUS"), true),
                        new TlsOptions("k", "kp", "t", "tp", List.of("TLSv1.3"), false),
                        new FailoverOptions(9, 10, 11, 12, 13, true)));
    }

    @Test
    @DisplayName("Without options everything has its default; failover only by its URI")
    void withoutOptionsEverythingHasItsDefault() {
        assertThat(options("amqp://localhost")).isEqualTo(Options.of(new Endpoint(Scheme.AMQP, "localhost", 5672, "")));
        assertThat(options("failover:(amqp://a)").failover()).isEqualTo(FailoverOptions.DEFAULT);
        assertThat(options("failover://(amqp://a, amqp://b)").endpoints()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "jms.prefetchPolicy.all, jms.prefetch, 7",
        "jms.redeliveryPolicy.maxRedeliveries, jms.redeliveriesMax, 7",
        "jms.deserializationPolicy.allowList, jms.trustedPackages, x",
        "jms.localMessageExpiry, jms.expireLocally, false",
        "jms.clientId, jms.clientID, x"
    })
    @DisplayName("Names that users of Qpid JMS and ActiveMQ know mean the same")
    void knownNamesMeanTheSame(String alias, String name, String value) {
        assertThat(BrokerUri.parse("amqp://host?" + alias + "=" + value))
                .isEqualTo(BrokerUri.parse("amqp://host?" + name + "=" + value));
    }

    @Test
    @DisplayName("The documentation names every option")
    void everyOptionIsDocumented() throws Exception {
        Path here = Path.of("").toAbsolutePath();
        Path root = Files.exists(here.resolve("docs")) ? here : here.getParent();
        String page = Files.readString(root.resolve("docs/protocols/jms.md"));

        assertThat(OptionKey.ALL).allSatisfy(key -> assertThat(page).contains("`" + key.name() + "`"));
    }
}
