package io.mainstem.launcher.config;

import io.mainstem.transport.ListenerConfig;
import io.mainstem.transport.tls.TlsConfig;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the listeners speak besides their protocols.
 *
 * @param tls certificates, or null if there are none
 * @param origins web pages that may use WebSocket, in lower case
 * @param amqps where AMQP is spoken inside TLS only, or null for nowhere
 */
public record TransportConfig(
        @Nullable TlsConfig tls,
        Set<String> origins,
        ListenerMode amqp,
        ListenerMode mqtt,
        @Nullable ListenerConfig amqps) {
    public TransportConfig {
        origins = Set.copyOf(origins);
        needsCertificate(tls, amqp.tls() == ListenerMode.Tls.REQUIRED, "amqp.tls: required");
        needsCertificate(tls, mqtt.tls() == ListenerMode.Tls.REQUIRED, "mqtt.tls: required");
        needsCertificate(tls, amqps != null, "amqps.port: " + (amqps == null ? "" : amqps.port()));
    }

    private static void needsCertificate(@Nullable TlsConfig tls, boolean needed, String setting) {
        if (needed && tls == null) {
            throw new IllegalArgumentException(setting + " (expected: tls.certificate-file to be set for that)");
        }
    }

    static TransportConfig of(Settings settings, ListenerConfig amqp) {
        TlsConfig tls = tls(settings);
        OptionalLong amqpsPort = settings.get(ConfigKeys.AMQPS_PORT);
        Set<String> origins = new HashSet<>();
        settings.get(ConfigKeys.WEBSOCKET_ORIGINS).forEach(origin -> origins.add(origin.toLowerCase(Locale.ROOT)));
        return new TransportConfig(
                tls,
                origins,
                mode(settings, ConfigKeys.AMQP_TLS, ConfigKeys.AMQP_WEBSOCKET, tls),
                mode(settings, ConfigKeys.MQTT_TLS, ConfigKeys.MQTT_WEBSOCKET, tls),
                amqpsPort.isEmpty()
                        ? null
                        : amqp.at("amqps", settings.get(ConfigKeys.AMQPS_HOST), (int) amqpsPort.getAsLong()));
    }

    private static ListenerMode mode(
            Settings settings, ConfigKey<String> tlsKey, ConfigKey<String> webSocketKey, @Nullable TlsConfig tls) {
        ListenerMode.Tls use = switch (settings.get(tlsKey)) {
            case "required" -> ListenerMode.Tls.REQUIRED;
            case "off" -> ListenerMode.Tls.OFF;
            default -> tls == null ? ListenerMode.Tls.OFF : ListenerMode.Tls.OFFERED;
        };
        return new ListenerMode(use, settings.get(webSocketKey).equals("on"));
    }

    private static @Nullable TlsConfig tls(Settings settings) {
        Optional<Path> certificate = settings.get(ConfigKeys.TLS_CERTIFICATE_FILE);
        if (certificate.isEmpty()) {
            for (ConfigKey<?> key :
                    List.of(ConfigKeys.TLS_KEY_FILE, ConfigKeys.TLS_PASSWORD_FILE, ConfigKeys.TLS_AUTHORITY_FILE)) {
                String text = settings.setting(key).text();
                if (!text.equals(key.defaultText())) {
                    throw new IllegalArgumentException(
                            key.name() + ": " + text + " (expected: tls.certificate-file to be set too)");
                }
            }
            return null;
        }
        return new TlsConfig(
                certificate.get(),
                settings.get(ConfigKeys.TLS_KEY_FILE).orElse(null),
                settings.get(ConfigKeys.TLS_PASSWORD_FILE).orElse(null),
                TlsConfig.ClientCertificates.valueOf(
                        settings.get(ConfigKeys.TLS_CLIENT_CERTIFICATES).toUpperCase(Locale.ROOT)),
                settings.get(ConfigKeys.TLS_AUTHORITY_FILE).orElse(null));
    }
}
