package io.mainstem.launcher;

import io.mainstem.amqp.v1.address.PercentCoding;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code mainstem delayed}. */
@Command(
        name = "delayed",
        synopsisSubcommandLabel = "COMMAND",
        description = "Looks at and cancels messages of a running broker that wait for their time.",
        footer = {"%nExamples:", "  mainstem delayed list", "  mainstem delayed cancel 492115-7"})
final class DelayedCommand {
    @Command(description = "Lists all messages that wait, by the hour of their time.")
    int list(@Mixin ManagementOptions options) {
        options.printed()
                .list(
                        options.list("/delayed"),
                        "id",
                        "deliver_at",
                        "exchange",
                        "routing_key",
                        "message_id",
                        "user",
                        "bytes");
        return 0;
    }

    @Command(description = "Cancels a message; it is never delivered then.")
    int cancel(@Mixin ManagementOptions options, @Parameters(paramLabel = "ID") String id) {
        options.ask("DELETE", "/delayed/" + PercentCoding.encode(id), null);
        options.printed().done("message '" + id + "' is cancelled", null);
        return 0;
    }
}
