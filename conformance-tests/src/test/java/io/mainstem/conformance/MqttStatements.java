package io.mainstem.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Statements of MQTT 5.0 that have no test of their own, with the reason. */
final class MqttStatements {
    static final String INTRODUCTION = """
            # MQTT 5.0, statement by statement

            Made by the test run (`-Dmainstem.conformance.table=docs/conformance/mqtt.md`). Each test speaks to the broker
            byte by byte and runs against any broker: `-Dmainstem.conformance.mqtt.host=H -Dmainstem.conformance.mqtt.port=P`.
            Statements about clients alone are listed with the reason instead of a test. Most tests run for 3.1.1, too,
            where it says the same.

            """;

    private static final String CLIENT = "about clients";
    private static final String FORM = "form of packets; the server's reader relies on it";

    /** By chapter and number, not by letters. */
    static final Comparator<String> ORDER = Comparator.comparing(MqttStatements::numbers, Arrays::compare);

    /** The statements of each section of the standard, numbered from 1. */
    private static final String SECTIONS = """
            1.5.4 3, 1.5.5 1, 1.5.7 1, 2.1.3 1, 2.2.1 6, 2.2.2 1, 3.1.0 2, 3.1.2 30, 3.1.3 12, 3.1.4 6, 3.2.0 2,
            3.2.2 22, 3.3.1 13, 3.3.2 20, 3.3.4 10, 3.4.2 3, 3.5.2 3, 3.6.1 1, 3.6.2 3, 3.7.2 3, 3.8.1 1, 3.8.3 5,
            3.8.4 8, 3.9.2 2, 3.9.3 2, 3.10.1 1, 3.10.3 2, 3.10.4 6, 3.11.2 2, 3.11.3 2, 3.12.4 1, 3.14.0 1, 3.14.1 1,
            3.14.2 4, 3.14.4 3, 3.15.1 1, 3.15.2 3, 4.1.0 2, 4.2.0 1, 4.3.1 1, 4.3.2 5, 4.3.3 13, 4.4.0 2, 4.5.0 2,
            4.6.0 6, 4.7.0 1, 4.7.1 2, 4.7.2 1, 4.7.3 4, 4.8.2 6, 4.9.0 3, 4.12.0 7, 4.12.1 2, 4.13.1 1, 4.13.2 1,
            6.0.0 4
            """;

    private MqttStatements() {}

    static List<String> all() {
        List<String> ids = new ArrayList<>();
        for (String section : SECTIONS.strip().split(",\\s+", -1)) {
            String[] words = section.split(" ", -1);
            for (int number = 1; number <= Integer.parseInt(words[1]); number++) {
                ids.add("MQTT-" + words[0] + "-" + number);
            }
        }
        // Withdrawn from the standard.
        ids.remove("MQTT-2.2.1-1");
        return ids;
    }

    static Map<String, String> withoutTest() {
        Map<String, String> all = new TreeMap<>(ORDER);
        put(all, CLIENT, "2.2.1-3", "3.1.2-20", "3.1.2-21", "3.1.2-30", "3.2.2-4", "3.2.2-5", "3.2.2-11", "3.2.2-14");
        put(all, CLIENT, "3.2.2-15", "3.2.2-17", "3.2.2-18", "3.2.2-21", "3.3.2-9", "3.3.2-10", "3.3.4-7", "3.3.4-8");
        put(all, CLIENT, "4.3.2-1", "4.3.3-1", "4.5.0-2", "4.6.0-1", "4.6.0-4", "4.12.1-1");
        put(all, FORM, "1.5.7-1", "2.2.2-1", "3.1.3-1", "3.1.3-3", "3.1.2-9", "3.1.2-16", "3.1.2-17", "3.1.2-18");
        put(all, FORM, "3.1.2-19");
        put(all, "the broker offers QoS 2, retained messages and its client's QoS everywhere", "3.2.2-9", "3.2.2-10");
        put(all, "the broker offers QoS 2, retained messages and its client's QoS everywhere", "3.2.2-12", "3.2.2-13");
        put(all, "the broker sends one copy", "3.3.4-5");
        put(
                all,
                "the broker sends no reason strings and no user properties in acknowledgements",
                "3.2.2-19",
                "3.2.2-20");
        put(all, "the broker sends no reason strings and no user properties in acknowledgements", "3.4.2-2", "3.4.2-3");
        put(all, "the broker sends no reason strings and no user properties in acknowledgements", "3.5.2-2", "3.5.2-3");
        put(all, "the broker sends no reason strings and no user properties in acknowledgements", "3.6.2-2", "3.6.2-3");
        put(all, "the broker sends no reason strings and no user properties in acknowledgements", "3.7.2-2", "3.7.2-3");
        put(all, "the broker sends no reason strings and no user properties in acknowledgements", "3.9.2-1", "3.9.2-2");
        put(
                all,
                "the broker sends no reason strings and no user properties in acknowledgements",
                "3.11.2-1",
                "3.11.2-2");
        put(
                all,
                "the broker sends no reason strings and no user properties in acknowledgements",
                "3.14.2-3",
                "3.14.2-4");
        put(all, "the broker sends no reason strings and no user properties in acknowledgements", "3.1.2-29");
        put(all, "enhanced authentication is refused, see 3.1.4-2", "3.15.1-1", "3.15.2-1", "3.15.2-2", "3.15.2-3");
        put(all, "enhanced authentication is refused, see 3.1.4-2", "4.12.0-2", "4.12.0-3", "4.12.0-4", "4.12.0-5");
        put(all, "enhanced authentication is refused, see 3.1.4-2", "4.12.0-7", "4.12.1-2");
        put(
                all,
                "shown by MQTT.js over WebSocket and by the tests of transport",
                "6.0.0-1",
                "6.0.0-2",
                "6.0.0-3",
                "6.0.0-4");
        put(all, "all connections are TCP", "4.2.0-1");
        put(all, "no shared subscription is granted QoS 2", "4.8.2-4");
        return all;
    }

    private static void put(Map<String, String> all, String reason, String... ids) {
        for (String id : ids) {
            all.put("MQTT-" + id, reason);
        }
    }

    private static int[] numbers(String id) {
        return Arrays.stream(id.substring("MQTT-".length()).split("[.-]", -1))
                .mapToInt(Integer::parseInt)
                .toArray();
    }
}
