package io.mainstem.launcher;

import io.mainstem.routing.access.AccessRule;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a user may do, as options of a command. */
final class PermissionOptions {
    @Option(
            names = {"-p", "--permit"},
            paramLabel = "RULE",
            description =
                    "Such as 'allow read,write queue orders.*' or 'deny all'; may be repeated, the first rule that"
                            + " matches decides. Default of a new user: 'allow all'.")
    private List<String> rules = List.of();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec command;

    /** The rules given, or these if none is. */
    List<AccessRule> orElse(List<AccessRule> others) {
        if (rules.isEmpty()) {
            return others;
        }
        List<AccessRule> parsed = new ArrayList<>();
        for (String rule : rules) {
            try {
                AccessRule understood = AccessRule.parse(rule);
                String doubt = understood.doubt();
                if (doubt != null) {
                    throw new IllegalArgumentException(doubt);
                }
                parsed.add(understood);
            } catch (IllegalArgumentException e) {
                throw new ParameterException(command.commandLine(), "MS-0117 " + e.getMessage() + " fix: correct it.");
            }
        }
        return parsed;
    }
}
