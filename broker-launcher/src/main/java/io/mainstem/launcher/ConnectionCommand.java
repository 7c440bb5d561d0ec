package io.mainstem.launcher;

import io.mainstem.amqp.v1.address.PercentCoding;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code mainstem connection}. */
@Command(
        name = "connection",
        synopsisSubcommandLabel = "COMMAND",
        description = "Looks at and closes the connections of a running broker.",
        footer = {"%nExamples:", "  mainstem connection list", "  mainstem connection close 17"})
final class ConnectionCommand {
    @Command(description = "Lists all open connections; this command's own is one of them.")
    int list(@Mixin ManagementOptions options) {
        options.printed()
                .list(
                        options.list("/connections"),
                        "id",
                        "protocol",
                        "peer",
                        "client_id",
                        "connection_name",
                        "user",
                        "vhost",
                        "opened");
        return 0;
    }

    @Command(description = "Shows one connection.")
    int show(@Mixin ManagementOptions options, @Parameters(paramLabel = "ID") String id) {
        options.printed().one(options.ask("GET", "/connections/" + PercentCoding.encode(id), null));
        return 0;
    }

    @Command(description = "Closes a connection; its client is told amqp:connection:forced.")
    int close(@Mixin ManagementOptions options, @Parameters(paramLabel = "ID") String id) {
        options.ask("DELETE", "/connections/" + PercentCoding.encode(id), null);
        options.printed().done("connection " + id + " is being closed", null);
        return 0;
    }
}
