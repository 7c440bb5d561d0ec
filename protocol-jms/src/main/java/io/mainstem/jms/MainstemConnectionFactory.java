package io.mainstem.jms;

import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.message.AmqpMessageFactory;
import io.mainstem.jms.message.MessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.BrokerUri;
import io.mainstem.jms.options.OptionTexts;
import io.mainstem.jms.options.Options;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.QueueConnection;
import jakarta.jms.QueueConnectionFactory;
import jakarta.jms.TopicConnection;
import jakarta.jms.TopicConnectionFactory;
import java.io.Serializable;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import javax.naming.Reference;
import javax.naming.Referenceable;
import javax.naming.StringRefAddr;
import org.jspecify.annotations.Nullable;

/**
 * The way in: makes connections and contexts to one broker, or to one of a list. What the URI's query says can also be set
 * by {@link #setOption} or a bean property; what is set there counts above the URI. Wrong URIs, names and values are
 * refused at once by a {@link jakarta.jms.JMSRuntimeException} with the nearest name. Options and defaults:
 * docs/protocols/jms.md.
 *
 * <p>Thread: configure it by one thread, then use it by any. Serialisable and referenceable, with its password.
 */
public class MainstemConnectionFactory
        implements ConnectionFactory, QueueConnectionFactory, TopicConnectionFactory, Referenceable, Serializable {
    /** Where a factory connects to that was told nothing. */
    public static final String DEFAULT_BROKER_URI = "amqp://localhost:5672";
    /** Name of the broker's URI in a JNDI reference. */
    public static final String BROKER_URI_PROPERTY = "brokerUri";

    private static final long serialVersionUID = 1;
    private static final String OBJECT_FACTORY = "io.mainstem.jms.jndi.MainstemObjectFactory";

    private volatile String brokerUri;
    private volatile OptionTexts options = OptionTexts.NONE;
    private transient @Nullable Transports transports;
    private transient @Nullable ClientCounters counters; // Another factory's work after serialisation.

    /** Connects to {@link #DEFAULT_BROKER_URI}. */
    public MainstemConnectionFactory() {
        brokerUri = DEFAULT_BROKER_URI;
    }

    /**
     * @param brokerUri {@code amqp://host:port?...}, also {@code amqps}, {@code amqpws}, {@code amqpwss}, {@code
     *     vm://name}, or {@code failover:(uri,uri)?...}
     */
    public MainstemConnectionFactory(String brokerUri) {
        BrokerUri.parse(brokerUri);
        this.brokerUri = brokerUri;
    }

    /** As the other constructors, for one user. */
    public MainstemConnectionFactory(String username, String password, String brokerUri) {
        this(brokerUri);
        options = options.with("jms.username", username).with("jms.password", password);
    }

    // --- what it makes -------------------------------------------------------------------------------------------

    @Override
    public Connection createConnection() throws JMSException {
        return open(options());
    }

    @Override
    public Connection createConnection(@Nullable String username, @Nullable String password) throws JMSException {
        return open(options().withCredentials(username, password));
    }

    @Override
    public QueueConnection createQueueConnection() throws JMSException {
        return open(options()).ofQueues();
    }

    @Override
    public QueueConnection createQueueConnection(@Nullable String username, @Nullable String password)
            throws JMSException {
        return open(options().withCredentials(username, password)).ofQueues();
    }

    @Override
    public TopicConnection createTopicConnection() throws JMSException {
        return open(options());
    }

    @Override
    public TopicConnection createTopicConnection(@Nullable String username, @Nullable String password)
            throws JMSException {
        return open(options().withCredentials(username, password));
    }

    @Override
    public JMSContext createContext() {
        return createContext(JMSContext.AUTO_ACKNOWLEDGE);
    }

    @Override
    public JMSContext createContext(int sessionMode) {
        return context(options(), sessionMode);
    }

    @Override
    public JMSContext createContext(@Nullable String username, @Nullable String password) {
        return createContext(username, password, JMSContext.AUTO_ACKNOWLEDGE);
    }

    @Override
    public JMSContext createContext(@Nullable String username, @Nullable String password, int sessionMode) {
        return context(options().withCredentials(username, password), sessionMode);
    }

    private JMSContext context(Options current, int sessionMode) {
        return MainstemContext.open(current, transport(current), messages(current), counters(), sessionMode);
    }

    private MainstemConnection open(Options current) throws JMSException {
        return new MainstemConnection(current, transport(current), messages(current), counters());
    }

    /** What connections are opened with, checked. */
    final Options options() {
        BrokerUri uri = BrokerUri.parse(brokerUri);
        return options.over(uri).toOptions(uri);
    }

    final MessageFactory messages(Options current) {
        boolean stamp = options.over(BrokerUri.parse(brokerUri)).stampsUser();
        return new AmqpMessageFactory(
                current.delivery().validatePropertyNames(),
                current.delivery().trustedPackages(),
                stamp ? current.username() : null,
                Clock.systemUTC());
    }

    /** To the broker that the options name. */
    final synchronized LinkTransport transport(Options current) {
        Transports known = transports;
        if (known == null) {
            known = new Transports();
            transports = known;
        }
        return known.of(current);
    }

    /** What the connections of this factory have done since it was made, or was read from a stream. */
    public final synchronized ClientCounters counters() {
        ClientCounters current = counters;
        if (current == null) {
            current = new ClientCounters();
            counters = current;
        }
        return current;
    }

    // --- how it is configured ------------------------------------------------------------------------------------

    public String getBrokerUri() {
        return brokerUri;
    }

    public void setBrokerUri(String brokerUri) {
        BrokerUri.parse(brokerUri);
        this.brokerUri = brokerUri;
    }

    /**
     * Sets one option by the name it has in a URI, such as {@code jms.prefetch}.
     *
     * @param value null or empty: what the URI says, or the default
     */
    public void setOption(String name, @Nullable String value) {
        options = options.with(name, value);
    }

    /** What {@link #setOption} was given; null if nothing. The URI's own options do not show. */
    public @Nullable String getOption(String name) {
        return options.get(name);
    }

    /** Several options at once, by the names they have in a URI. */
    public void setOptions(Map<String, String> values) {
        values.forEach(this::setOption);
    }

    public @Nullable String getUsername() {
        return options().username();
    }

    public void setUsername(@Nullable String username) {
        setOption("jms.username", username);
    }

    public @Nullable String getPassword() {
        return options().password();
    }

    public void setPassword(@Nullable String password) {
        setOption("jms.password", password);
    }

    public @Nullable String getClientId() {
        return options().clientId();
    }

    /** Every connection of this factory has this client identifier; so there can be one at a time. */
    public void setClientId(@Nullable String clientId) {
        setOption("jms.clientID", clientId);
    }

    public int getPrefetch() {
        return options().delivery().prefetchCount();
    }

    /** Messages that a consumer holds at most before they are asked for; 0 to 100 000. */
    public void setPrefetch(int messages) {
        setOption("jms.prefetch", Integer.toString(messages));
    }

    public List<String> getTrustedPackages() {
        return options().delivery().trustedPackages().stream().sorted().toList();
    }

    /** Packages and classes that ObjectMessages may be read from. */
    public void setTrustedPackages(List<String> packages) {
        setOption("jms.trustedPackages", String.join(",", packages));
    }

    public long getConnectTimeout() {
        return options().timeouts().connectMs();
    }

    /** Milliseconds. */
    public void setConnectTimeout(long timeoutMs) {
        setOption("jms.connectTimeout", Long.toString(timeoutMs));
    }

    public long getSendTimeout() {
        return options().timeouts().sendMs();
    }

    /** Milliseconds. */
    public void setSendTimeout(long timeoutMs) {
        setOption("jms.sendTimeout", Long.toString(timeoutMs));
    }

    public long getRequestTimeout() {
        return options().timeouts().requestMs();
    }

    /** Milliseconds. */
    public void setRequestTimeout(long timeoutMs) {
        setOption("jms.requestTimeout", Long.toString(timeoutMs));
    }

    @Override
    public Reference getReference() {
        Reference reference = new Reference(getClass().getName(), OBJECT_FACTORY, null);
        reference.add(new StringRefAddr(BROKER_URI_PROPERTY, brokerUri));
        options.texts().forEach((name, value) -> reference.add(new StringRefAddr(name, value)));
        return reference;
    }

    /** Shows no password. */
    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + BrokerUri.parse(brokerUri).endpoints() + ", options " + options + "]";
    }
}
