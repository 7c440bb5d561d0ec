package io.mainstem.launcher;

import io.mainstem.amqp.v1.address.PercentCoding;
import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.launcher.admin.BrokerUrl;
import io.mainstem.launcher.admin.ManagementClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of every command that asks a running broker. */
final class ManagementOptions {
    private static final String PASSWORD = "MAINSTEM_PASSWORD";
    private static final int PAGE = 500;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Option(
            names = "--url",
            paramLabel = "URL",
            defaultValue = "${env:MAINSTEM_URL:-amqp://127.0.0.1:5672}",
            description = "The broker: amqp://host:port/vhost, or amqps; default amqp://127.0.0.1:5672, or"
                    + " MAINSTEM_URL.")
    private String url = "";

    @Option(
            names = {"-u", "--user"},
            paramLabel = "NAME",
            description = "Who asks; anonymous if left out.")
    private @Nullable String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "File whose first line is the password; else MAINSTEM_PASSWORD is taken.")
    private @Nullable Path passwordFile;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            description = "table or json")
    private Printed.Form output = Printed.Form.TABLE;

    /** Asks one thing; the answer's body. @throws io.mainstem.launcher.admin.ManagementFailure if it is refused */
    @Nullable
    Object ask(String method, String path, @Nullable Object body) {
        try (ManagementClient client = connect()) {
            return client.ask(method, path, body);
        }
    }

    /** All items of a list, page by page. */
    List<Map<?, ?>> list(String path) {
        List<Map<?, ?>> items = new ArrayList<>();
        try (ManagementClient client = connect()) {
            String after = "";
            while (true) {
                Object page =
                        client.ask("GET", path + "?limit=" + PAGE + "&after=" + PercentCoding.encode(after), null);
                if (!(page instanceof Map<?, ?> map) || !(map.get("items") instanceof List<?> found)) {
                    return items;
                }
                for (Object item : found) {
                    if (item instanceof Map<?, ?> row) {
                        items.add(row);
                    }
                }
                if (!(map.get("next") instanceof String next)) {
                    return items;
                }
                after = next;
            }
        }
    }

    /**
     * What the messaging commands connect with: a URL as above, or any URI of the provider.
     *
     * @param clientId null: none
     */
    MainstemConnectionFactory messaging(@Nullable String clientId) {
        MainstemConnectionFactory factory = new MainstemConnectionFactory();
        boolean password = user != null;
        if (url.matches("(?i)amqps?://[^?]*")) {
            BrokerUrl place = BrokerUrl.parse(url);
            boolean shown = place.secure() || isThisMachine(place.host());
            factory.setBrokerUri(place.withoutVirtualHost());
            factory.setOption("amqp.vhost", place.virtualHost());
            if (password && !shown) {
                factory.setOption("amqp.saslMechanisms", "SCRAM-SHA-512,SCRAM-SHA-256");
            }
        } else {
            factory.setBrokerUri(url);
        }
        if (password) {
            factory.setUsername(user);
            factory.setPassword(password());
        }
        factory.setClientId(clientId);
        return factory;
    }

    private static boolean isThisMachine(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            return false; // the attempt to connect says so
        }
    }

    /** How the answer is to be written. */
    Printed.Form form() {
        return output;
    }

    Printed printed() {
        return new Printed(spec.commandLine().getOut(), output);
    }

    private ManagementClient connect() {
        return ManagementClient.connect(BrokerUrl.parse(url), user, user == null ? null : password());
    }

    private @Nullable String password() {
        Path file = passwordFile;
        if (file == null) {
            return System.getenv(PASSWORD);
        }
        try {
            List<String> lines = Files.readAllLines(file);
            return lines.isEmpty() ? "" : lines.get(0);
        } catch (IOException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "MS-0134 --password-file " + file + " cannot be read: " + e
                            + " fix: see that it exists and that you may read it.",
                    e);
        }
    }
}
