package io.mainstem.jms.options;

import java.io.Serializable;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Options as texts: what a factory keeps, puts into a reference of JNDI, and makes {@link Options} of. Thread: immutable.
 *
 * @param texts documented names and acceptable texts
 */
public record OptionTexts(Map<String, String> texts) implements Serializable {
    private static final long serialVersionUID = 1;

    public static final OptionTexts NONE = new OptionTexts(Map.of());

    public OptionTexts {
        texts = Map.copyOf(texts);
    }

    /** Whether there is such an option, by its name or an alias. */
    public static boolean isKnown(String name) {
        return OptionKey.find(name) != null;
    }

    /**
     * With one more, or another value for it.
     *
     * @param text null or empty: the default again
     * @throws jakarta.jms.JMSRuntimeException that names the option, what was wanted and found, or the nearest option
     */
    public OptionTexts with(String name, @Nullable String text) {
        OptionKey key = OptionKey.find(name);
        if (key == null) {
            throw OptionErrors.unknown(name);
        }
        Map<String, String> changed = new TreeMap<>(texts);
        if (text == null || text.isEmpty()) {
            changed.remove(key.name());
        } else if (key.accepts(text)) {
            changed.put(key.name(), text);
        } else {
            throw OptionErrors.value(key, text);
        }
        return new OptionTexts(changed);
    }

    /** The text of an option; null if it has its default. */
    public @Nullable String get(String name) {
        OptionKey key = OptionKey.find(name);
        return key == null ? null : texts.get(key.name());
    }

    /** Those of a URI, and these above them. */
    public OptionTexts over(BrokerUri uri) {
        Map<String, String> all = new TreeMap<>(uri.options());
        all.putAll(texts);
        return new OptionTexts(all);
    }

    /** The value {@code jms.populateJMSXUserID}: the factory of messages wants it, no connection. */
    public boolean stampsUser() {
        return flag(OptionKey.STAMP_USER, false);
    }

    /** @throws jakarta.jms.JMSRuntimeException if values contradict each other */
    public Options toOptions(BrokerUri uri) {
        try {
            return new Options(
                    uri.endpoints(),
                    text(OptionKey.USERNAME),
                    text(OptionKey.PASSWORD),
                    text(OptionKey.CLIENT_ID),
                    timeouts(),
                    delivery(),
                    wire(),
                    tls(),
                    uri.failover() ? failover() : null);
        } catch (IllegalArgumentException refused) {
            throw OptionErrors.combination(refused);
        }
    }

    private Timeouts timeouts() {
        Timeouts otherwise = Timeouts.DEFAULT;
        return new Timeouts(
                number(OptionKey.CONNECT_TIMEOUT, otherwise.connectMs()),
                number(OptionKey.REQUEST_TIMEOUT, otherwise.requestMs()),
                number(OptionKey.SEND_TIMEOUT, otherwise.sendMs()),
                number(OptionKey.CLOSE_TIMEOUT, otherwise.closeMs()));
    }

    private DeliveryOptions delivery() {
        DeliveryOptions otherwise = DeliveryOptions.DEFAULT;
        return new DeliveryOptions(
                (int) number(OptionKey.PREFETCH, otherwise.prefetchCount()),
                (int) number(OptionKey.PREFETCH_BYTES, otherwise.prefetchBytes()),
                (int) number(OptionKey.REDELIVERIES_MAX, otherwise.redeliveriesMax()),
                flag(OptionKey.ASYNC_NON_PERSISTENT, otherwise.asyncNonPersistent()),
                flag(OptionKey.VALIDATE_NAMES, otherwise.validatePropertyNames()),
                flag(OptionKey.EXPIRE_LOCALLY, otherwise.expireLocally()),
                Set.copyOf(new LinkedHashSet<>(list(OptionKey.TRUSTED_PACKAGES))),
                flag(OptionKey.DEDUP, otherwise.dedup()));
    }

    private WireOptions wire() {
        WireOptions otherwise = WireOptions.DEFAULT;
        return new WireOptions(
                text(OptionKey.VHOST),
                (int) number(OptionKey.IDLE_TIMEOUT, otherwise.idleTimeoutMs()),
                (int) number(OptionKey.FRAME_BYTES, otherwise.maxFrameBytes()),
                flag(OptionKey.TCP_NO_DELAY, otherwise.tcpNoDelay()),
                list(OptionKey.SASL),
                flag(OptionKey.PLAIN_WITHOUT_TLS, otherwise.plainWithoutTls()));
    }

    private TlsOptions tls() {
        return new TlsOptions(
                text(OptionKey.KEY_STORE),
                text(OptionKey.KEY_STORE_PASSWORD),
                text(OptionKey.TRUST_STORE),
                text(OptionKey.TRUST_STORE_PASSWORD),
                list(OptionKey.PROTOCOLS),
                flag(OptionKey.VERIFY_HOST, TlsOptions.DEFAULT.verifyHost()));
    }

    private FailoverOptions failover() {
        FailoverOptions otherwise = FailoverOptions.DEFAULT;
        return new FailoverOptions(
                number(OptionKey.FAILOVER_INITIAL_DELAY, otherwise.initialDelayMs()),
                number(OptionKey.FAILOVER_DELAY, otherwise.delayMs()),
                number(OptionKey.FAILOVER_DELAY_MAX, otherwise.delayMaxMs()),
                (int) number(OptionKey.FAILOVER_ATTEMPTS, otherwise.attemptsMax()),
                (int) number(OptionKey.FAILOVER_START_ATTEMPTS, otherwise.startAttemptsMax()),
                flag(OptionKey.FAILOVER_RANDOMIZE, otherwise.randomize()));
    }

    private @Nullable String text(OptionKey key) {
        return texts.get(key.name());
    }

    private long number(OptionKey key, long otherwise) {
        String text = texts.get(key.name());
        return text == null ? otherwise : Long.parseLong(text);
    }

    private boolean flag(OptionKey key, boolean otherwise) {
        String text = texts.get(key.name());
        return text == null ? otherwise : Boolean.parseBoolean(text);
    }

    private List<String> list(OptionKey key) {
        String text = texts.get(key.name());
        return text == null
                ? List.of()
                : Arrays.stream(text.split(","))
                        .map(String::trim)
                        .filter(item -> !item.isEmpty())
                        .toList();
    }

    /** Names only: values may be secret. */
    @Override
    public String toString() {
        return new TreeMap<>(texts).keySet().toString();
    }
}
