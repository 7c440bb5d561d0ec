package io.mainstem.launcher;

import io.mainstem.amqp.v1.address.PercentCoding;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mainstem queue}. */
@Command(
        name = "queue",
        synopsisSubcommandLabel = "COMMAND",
        description = "Looks at, declares, purges and deletes the queues of a running broker.",
        footer = {
            "%nExamples:",
            "  mainstem queue list",
            "  mainstem queue create orders --argument x-max-priority=5",
            "  mainstem queue show orders -o json"
        })
final class QueueCommand {
    @Command(description = "Lists all queues with what is in them.")
    int list(@Mixin ManagementOptions options) {
        options.printed()
                .list(
                        options.list("/queues"),
                        "name",
                        "message_count",
                        "unacknowledged_count",
                        "consumer_count",
                        "memory",
                        "durable",
                        "arguments");
        return 0;
    }

    @Command(description = "Shows one queue.")
    int show(@Mixin ManagementOptions options, @Parameters(paramLabel = "NAME") String name) {
        options.printed().one(options.ask("GET", path(name), null));
        return 0;
    }

    @Command(description = "Declares a queue; one that is there already with the same properties is fine.")
    int create(
            @Mixin ManagementOptions options,
            @Parameters(paramLabel = "NAME") String name,
            @Option(names = "--transient", description = "It does not survive a restart.") boolean notDurable,
            @Option(names = "--auto-delete", description = "It goes with its last consumer.") boolean autoDelete,
            @Option(
                            names = {"-a", "--argument"},
                            paramLabel = "NAME=VALUE",
                            description = "Such as x-max-priority=5; may be repeated.")
                    Map<String, String> arguments) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("durable", !notDurable);
        body.put("auto_delete", autoDelete);
        body.put("arguments", arguments == null ? Map.of() : DeclaredArguments.of(arguments));
        Object made = options.ask("PUT", path(name), body);
        options.printed().done("queue '" + name + "' is there", made);
        return 0;
    }

    @Command(description = "Deletes a queue with its messages; one that is not there is fine.")
    int delete(
            @Mixin ManagementOptions options,
            @Parameters(paramLabel = "NAME") String name,
            @Option(names = "--if-unused", description = "Only if nobody consumes from it.") boolean ifUnused,
            @Option(names = "--if-empty", description = "Only if there is no message in it.") boolean ifEmpty) {
        Object gone = options.ask("DELETE", path(name) + "?if-unused=" + ifUnused + "&if-empty=" + ifEmpty, null);
        options.printed().done("queue '" + name + "' is gone, with " + messages(gone) + " messages", gone);
        return 0;
    }

    @Command(description = "Drops all messages of a queue that are ready; what consumers hold stays.")
    int purge(@Mixin ManagementOptions options, @Parameters(paramLabel = "NAME") String name) {
        Object purged = options.ask("DELETE", path(name) + "/messages", null);
        options.printed().done("dropped " + messages(purged) + " messages of queue '" + name + "'", purged);
        return 0;
    }

    private static String path(String name) {
        return "/queues/" + PercentCoding.encode(name);
    }

    private static String messages(@org.jspecify.annotations.Nullable Object answer) {
        return answer instanceof Map<?, ?> map ? String.valueOf(map.get("message_count")) : "0";
    }
}
