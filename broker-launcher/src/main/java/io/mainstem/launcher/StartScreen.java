package io.mainstem.launcher;

import io.mainstem.launcher.lifecycle.Endpoint;
import io.mainstem.launcher.lifecycle.RunningBroker;
import java.util.stream.Collectors;

/** What {@code mainstem start} tells the person in front of it, once connections are accepted. */
final class StartScreen {
    private StartScreen() {}

    /** Several lines; the last one begins with {@code ready} and says where, for scripts. */
    static String text(RunningBroker broker, String version) {
        StringBuilder screen = new StringBuilder();
        line(screen, "Mainstem " + version);
        line(screen, "  data      " + broker.data().path());
        for (Endpoint endpoint : broker.endpoints()) {
            line(screen, "  " + padded(endpoint.name()) + endpoint.authority() + ", " + spoken(endpoint));
            line(screen, "            " + endpoint.posture());
        }
        line(screen, "  promise   acknowledged = on disk: durable messages are confirmed after the sync");
        for (Endpoint endpoint : broker.endpoints()) {
            if (endpoint.name().equals("amqp")) {
                line(screen, "  try it    " + sendLine(endpoint, broker.hasUsers()));
                line(screen, "            (python3-qpid-proton of Debian; README.md has Node and JMS)");
            }
        }
        line(screen, "  stop      Ctrl-C or SIGTERM");
        line(
                screen,
                broker.endpoints().stream()
                        .map(endpoint -> endpoint.name() + "=" + endpoint.authority())
                        .collect(Collectors.joining(" ", "ready ", "")));
        return screen.toString();
    }

    private static String spoken(Endpoint endpoint) {
        return endpoint.name().equals("mqtt") ? "MQTT 3.1, 3.1.1 and 5.0" : "AMQP 1.0";
    }

    private static String sendLine(Endpoint endpoint, boolean users) {
        return "/usr/bin/python3 -c 'from proton import Message as M; from proton.utils import BlockingConnection as C;"
                + " C(\"" + (users ? "NAME:PASSWORD@" : "") + endpoint.reachable()
                + "\").create_sender(\"hello\").send(M(body=\"hello\", durable=True))'";
    }

    private static String padded(String name) {
        return name + " ".repeat(Math.max(1, 10 - name.length()));
    }

    private static void line(StringBuilder screen, String text) {
        screen.append(text).append(System.lineSeparator());
    }
}
