package io.mainstem.launcher;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Checks numbers of the messaging commands before anything is connected.
 *
 * @param spec the command
 */
record Usage(CommandSpec spec) {
    /** @throws ParameterException exit code 64 */
    void atLeast(String option, double found, double min) {
        if (!(found >= min)) {
            throw refusal(option, found, "at least " + text(min));
        }
    }

    /** @throws ParameterException exit code 64 */
    void within(String option, double found, double min, double max) {
        if (!(found >= min && found <= max)) {
            throw refusal(option, found, text(min) + " to " + text(max));
        }
    }

    private ParameterException refusal(String option, double found, String wanted) {
        return new ParameterException(
                spec.commandLine(),
                "MS-0145 " + option + " is " + text(found) + ", wanted " + wanted + " fix: correct the number.");
    }

    private static String text(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }
}
