package io.mainstem.launcher;

import io.mainstem.amqp.v1.address.PercentCoding;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code mainstem vhost}. */
@Command(
        name = "vhost",
        synopsisSubcommandLabel = "COMMAND",
        description = "Looks at and makes the virtual hosts of a running broker.",
        footer = {
            "%nExamples:",
            "  mainstem vhost create orders",
            "  mainstem queue create eu --url amqp://127.0.0.1:5672/orders"
        })
final class VhostCommand {
    @Command(description = "Lists all virtual hosts.")
    int list(@Mixin ManagementOptions options) {
        options.printed().list(options.list("/vhosts"), "name");
        return 0;
    }

    @Command(
            description =
                    "Makes a virtual host; one that is there is fine. Clients name it in the URL, or as hostname.")
    int create(@Mixin ManagementOptions options, @Parameters(paramLabel = "NAME") String name) {
        options.ask("PUT", "/vhosts/" + PercentCoding.encode(name), null);
        options.printed().done("virtual host '" + name + "' is there", null);
        return 0;
    }
}
