package io.mainstem.launcher;

import io.mainstem.amqp.v1.address.PercentCoding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mainstem binding}. */
@Command(
        name = "binding",
        synopsisSubcommandLabel = "COMMAND",
        description = "Looks at, makes and deletes the bindings of a running broker.",
        footer = {
            "%nExamples:",
            "  mainstem binding list",
            "  mainstem binding create amq.topic orders --key 'eu.#'",
            "  mainstem binding delete amq.topic orders --key 'eu.#'"
        })
final class BindingCommand {
    @Command(description = "Lists all bindings.")
    int list(@Mixin ManagementOptions options) {
        options.printed()
                .list(
                        options.list("/bindings"),
                        "source",
                        "destination_queue",
                        "destination_exchange",
                        "binding_key",
                        "arguments");
        return 0;
    }

    @Command(description = "Binds a queue, or an exchange, to an exchange.")
    int create(
            @Mixin ManagementOptions options,
            @Parameters(paramLabel = "SOURCE", description = "The exchange.") String source,
            @Parameters(paramLabel = "DESTINATION", description = "The queue; with --exchange, an exchange.")
                    String destination,
            @Option(
                            names = {"-k", "--key"},
                            defaultValue = "",
                            description = "Binding key.")
                    String key,
            @Option(names = "--exchange", description = "The destination is an exchange.") boolean toExchange,
            @Option(
                            names = {"-a", "--argument"},
                            paramLabel = "NAME=VALUE",
                            description = "Such as x-match=any; may be repeated.")
                    Map<String, String> arguments) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("source", source);
        body.put(toExchange ? "destination_exchange" : "destination_queue", destination);
        body.put("binding_key", key);
        body.put("arguments", arguments == null ? Map.of() : DeclaredArguments.of(arguments));
        options.ask("POST", "/bindings", body);
        options.printed().done("'" + destination + "' is bound to exchange '" + source + "'", body);
        return 0;
    }

    @Command(description = "Deletes the bindings with that key, whatever their arguments; none is fine.")
    int delete(
            @Mixin ManagementOptions options,
            @Parameters(paramLabel = "SOURCE", description = "The exchange.") String source,
            @Parameters(paramLabel = "DESTINATION", description = "The queue; with --exchange, an exchange.")
                    String destination,
            @Option(
                            names = {"-k", "--key"},
                            defaultValue = "",
                            description = "Binding key.")
                    String key,
            @Option(names = "--exchange", description = "The destination is an exchange.") boolean toExchange) {
        Object found = options.ask(
                "GET",
                "/bindings?src=" + PercentCoding.encode(source) + (toExchange ? "&dste=" : "&dstq=")
                        + PercentCoding.encode(destination) + "&key=" + PercentCoding.encode(key),
                null);
        int gone = 0;
        for (Object binding : items(found)) {
            if (binding instanceof Map<?, ?> map && map.get("location") instanceof String location) {
                options.ask("DELETE", location, null);
                gone++;
            }
        }
        options.printed().done(gone + " bindings are gone", Map.of("deleted", gone));
        return 0;
    }

    private static List<?> items(@Nullable Object answer) {
        return answer instanceof List<?> list ? list : List.of();
    }
}
