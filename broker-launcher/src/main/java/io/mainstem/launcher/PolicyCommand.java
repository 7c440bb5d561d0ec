package io.mainstem.launcher;

import io.mainstem.amqp.v1.address.PercentCoding;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mainstem policy}. */
@Command(
        name = "policy",
        synopsisSubcommandLabel = "COMMAND",
        description = "Gives the queues of a running broker whose names fit a pattern arguments, those there already"
                + " included.",
        footer = {
            "%nExamples:",
            "  mainstem policy set limits 'orders.*' -a max-length=100000 -a overflow=reject-publish",
            "  mainstem policy set retries '*' -a delivery-limit=5 -a redelivery-delay=1000 --priority -1",
            "  mainstem policy list"
        })
final class PolicyCommand {
    @Command(description = "Lists all policies.")
    int list(@Mixin ManagementOptions options) {
        options.printed().list(options.list("/policies"), "name", "pattern", "priority", "definition");
        return 0;
    }

    @Command(description = "Shows one policy.")
    int show(@Mixin ManagementOptions options, @Parameters(paramLabel = "NAME") String name) {
        options.printed().one(options.ask("GET", path(name), null));
        return 0;
    }

    @Command(description = "Sets a policy; one of that name is replaced. It is in force when the command ends.")
    int set(
            @Mixin ManagementOptions options,
            @Parameters(paramLabel = "NAME") String name,
            @Parameters(paramLabel = "PATTERN", description = "Of queue names; * stands for any characters.")
                    String pattern,
            @Option(
                            names = {"-a", "--argument"},
                            paramLabel = "NAME=VALUE",
                            required = true,
                            description = "As a queue is declared with, with or without x-; may be repeated.")
                    Map<String, String> arguments,
            @Option(
                            names = {"-p", "--priority"},
                            defaultValue = "0",
                            description = "Of the policies that fit a queue the one with the highest governs it.")
                    int priority) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("pattern", pattern);
        body.put("priority", priority);
        body.put("definition", DeclaredArguments.of(arguments));
        options.ask("PUT", path(name), body);
        options.printed().done("policy '" + name + "' is in force", body);
        return 0;
    }

    @Command(description = "Deletes a policy; one that is not there is fine.")
    int delete(@Mixin ManagementOptions options, @Parameters(paramLabel = "NAME") String name) {
        options.ask("DELETE", path(name), null);
        options.printed().done("policy '" + name + "' is gone", null);
        return 0;
    }

    private static String path(String name) {
        return "/policies/" + PercentCoding.encode(name);
    }
}
