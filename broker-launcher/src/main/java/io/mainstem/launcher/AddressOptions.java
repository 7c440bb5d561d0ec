package io.mainstem.launcher;

import jakarta.jms.Destination;
import jakarta.jms.JMSContext;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The queue or topic of a messaging command. */
final class AddressOptions {
    private static final String QUEUE = "queue://";
    private static final String TOPIC = "topic://";

    @Parameters(
            index = "0",
            paramLabel = "ADDRESS",
            description = "Name of a queue; with --topic, or as topic://NAME, of a topic.")
    private String address = "";

    @Option(
            names = {"-t", "--topic"},
            description = "ADDRESS is a topic.")
    private boolean topic;

    boolean isTopic() {
        return topic || address.startsWith(TOPIC);
    }

    String name() {
        return address.startsWith(QUEUE) || address.startsWith(TOPIC) ? address.substring(TOPIC.length()) : address;
    }

    /** @throws ParameterException exit code 64, for what looks like a path and would be a queue of that odd name */
    void check(CommandSpec spec) {
        if (address.startsWith("/")) {
            throw new ParameterException(
                    spec.commandLine(),
                    "MS-0138 address '" + address
                            + "' is a path, wanted the name of a queue, or topic://NAME fix: write"
                            + " the name alone; a queue whose name begins with a slash is " + QUEUE + address + ".");
        }
    }

    Destination destination(JMSContext context) {
        return isTopic() ? context.createTopic(name()) : context.createQueue(name());
    }

    @Override
    public String toString() {
        return (isTopic() ? "topic " : "queue ") + name();
    }
}
