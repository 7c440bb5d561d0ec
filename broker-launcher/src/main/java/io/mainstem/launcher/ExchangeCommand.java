package io.mainstem.launcher;

import io.mainstem.amqp.v1.address.PercentCoding;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mainstem exchange}. */
@Command(
        name = "exchange",
        synopsisSubcommandLabel = "COMMAND",
        description = "Looks at, declares and deletes the exchanges of a running broker.",
        footer = {"%nExamples:", "  mainstem exchange list", "  mainstem exchange create logs --type fanout"})
final class ExchangeCommand {
    @Command(description = "Lists all exchanges.")
    int list(@Mixin ManagementOptions options) {
        options.printed()
                .list(options.list("/exchanges"), "name", "type", "durable", "auto_delete", "internal", "arguments");
        return 0;
    }

    @Command(description = "Shows one exchange.")
    int show(@Mixin ManagementOptions options, @Parameters(paramLabel = "NAME") String name) {
        options.printed().one(options.ask("GET", path(name), null));
        return 0;
    }

    @Command(description = "Declares an exchange; one that is there already with the same properties is fine.")
    int create(
            @Mixin ManagementOptions options,
            @Parameters(paramLabel = "NAME") String name,
            @Option(
                            names = {"-t", "--type"},
                            defaultValue = "direct",
                            description = "direct, fanout, topic or headers")
                    String type,
            @Option(names = "--transient", description = "It does not survive a restart.") boolean notDurable,
            @Option(names = "--auto-delete", description = "It goes with its last binding.") boolean autoDelete,
            @Option(names = "--internal", description = "Only exchanges publish to it.") boolean internal,
            @Option(
                            names = {"-a", "--argument"},
                            paramLabel = "NAME=VALUE",
                            description = "Such as alternate-exchange=lost; may be repeated.")
                    Map<String, String> arguments) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("type", type.toLowerCase(Locale.ROOT));
        body.put("durable", !notDurable);
        body.put("auto_delete", autoDelete);
        body.put("internal", internal);
        body.put("arguments", arguments == null ? Map.of() : DeclaredArguments.of(arguments));
        options.ask("PUT", path(name), body);
        options.printed().done("exchange '" + name + "' is there", body);
        return 0;
    }

    @Command(description = "Deletes an exchange with its bindings; one that is not there is fine.")
    int delete(
            @Mixin ManagementOptions options,
            @Parameters(paramLabel = "NAME") String name,
            @Option(names = "--if-unused", description = "Only if no binding leads from it.") boolean ifUnused) {
        options.ask("DELETE", path(name) + "?if-unused=" + ifUnused, null);
        options.printed().done("exchange '" + name + "' is gone", null);
        return 0;
    }

    private static String path(String name) {
        return "/exchanges/" + PercentCoding.encode(name);
    }
}
