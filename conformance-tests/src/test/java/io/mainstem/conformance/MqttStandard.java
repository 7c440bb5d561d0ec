package io.mainstem.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The normative statements of the two standards, and those that no test can show, with the reason. */
enum MqttStandard {
    V5(
            "MQTT 5.0",
            """
            1.5.4 3, 1.5.5 1, 1.5.7 1, 2.1.3 1, 2.2.1 6, 2.2.2 1, 3.1.0 2, 3.1.2 30, 3.1.3 12, 3.1.4 6, 3.2.0 2,
            3.2.2 22, 3.3.1 13, 3.3.2 20, 3.3.4 10, 3.4.2 3, 3.5.2 3, 3.6.1 1, 3.6.2 3, 3.7.2 3, 3.8.1 1, 3.8.3 5,
            3.8.4 8, 3.9.2 2, 3.9.3 2, 3.10.1 1, 3.10.3 2, 3.10.4 6, 3.11.2 2, 3.11.3 2, 3.12.4 1, 3.14.0 1, 3.14.1 1,
            3.14.2 4, 3.14.4 3, 3.15.1 1, 3.15.2 3, 4.1.0 2, 4.2.0 1, 4.3.1 1, 4.3.2 5, 4.3.3 13, 4.4.0 2, 4.5.0 2,
            4.6.0 6, 4.7.0 1, 4.7.1 2, 4.7.2 1, 4.7.3 4, 4.8.2 6, 4.9.0 3, 4.12.0 7, 4.12.1 2, 4.13.1 1, 4.13.2 1,
            6.0.0 4
            """,
            // Withdrawn from the standard.
            List.of("2.2.1-1"),
            List.of(
                    "2.2.1-3",
                    "3.1.2-20",
                    "3.1.2-21",
                    "3.2.2-4",
                    "3.2.2-5",
                    "3.2.2-11",
                    "3.2.2-14",
                    "3.2.2-15",
                    "3.2.2-17",
                    "3.2.2-18",
                    "3.2.2-21",
                    "3.3.2-9",
                    "3.3.2-10",
                    "3.3.4-7",
                    "3.3.4-8",
                    "4.5.0-2",
                    "4.6.0-1",
                    "4.6.0-4",
                    "6.0.0-3")) {
        @Override
        String[] shownBy(Statement statement) {
            return statement.value();
        }
    },

    V3_1_1(
            "MQTT 3.1.1",
            """
            1.5.3 3, 2.2.2 2, 2.3.1 7, 3.1.0 2, 3.1.2 24, 3.1.3 11, 3.1.4 5, 3.2.0 1, 3.2.2 6, 3.3.1 12, 3.3.2 3,
            3.3.4 1, 3.3.5 2, 3.6.1 1, 3.8.1 1, 3.8.3 4, 3.8.4 6, 3.9.3 2, 3.10.1 1, 3.10.3 2, 3.10.4 6, 3.12.4 1,
            3.14.1 1, 3.14.4 3, 4.1.0 2, 4.2.0 1, 4.3.1 1, 4.3.2 2, 4.3.3 2, 4.4.0 1, 4.5.0 2, 4.6.0 6, 4.7.1 3,
            4.7.2 1, 4.7.3 4, 4.8.0 2, 6.0.0 4, 7.0.0 2, 7.1.1 1, 7.1.2 1
            """,
            List.of(),
            List.of(
                    "2.3.1-2",
                    "2.3.1-3",
                    "3.1.2-23",
                    "3.1.3-7",
                    "3.14.4-1",
                    "3.14.4-2",
                    "4.5.0-2",
                    "6.0.0-3",
                    "7.1.2-1")) {
        @Override
        String[] shownBy(Statement statement) {
            return statement.v311();
        }
    };

    /** By chapter and number, not by letters. */
    static final Comparator<String> ORDER = Comparator.comparing(MqttStandard::numbers, Arrays::compare);

    private static final String CLIENT = "about clients";

    private final String title;
    /** How many statements each section has, numbered from 1. */
    private final String sections;

    /** Separated by blanks, as those that follow. */
    private final String withdrawn;

    private final String aboutClients;

    MqttStandard(String title, String sections, List<String> withdrawn, List<String> aboutClients) {
        this.title = title;
        this.sections = sections;
        this.withdrawn = String.join(" ", withdrawn);
        this.aboutClients = String.join(" ", aboutClients);
    }

    String title() {
        return title;
    }

    private static List<String> words(String separated) {
        return List.of(separated.split(" ", -1));
    }

    /** Those of this standard that the annotation names. */
    abstract String[] shownBy(Statement statement);

    List<String> all() {
        List<String> ids = new ArrayList<>();
        for (String section : sections.strip().split(",\\s+", -1)) {
            String[] words = section.split(" ", -1);
            for (int number = 1; number <= Integer.parseInt(words[1]); number++) {
                String id = words[0] + "-" + number;
                if (!words(withdrawn).contains(id)) {
                    ids.add("MQTT-" + id);
                }
            }
        }
        return ids;
    }

    /** With the reason why. */
    Map<String, String> withoutTest() {
        Map<String, String> reasons = new TreeMap<>(ORDER);
        words(aboutClients).forEach(id -> reasons.put("MQTT-" + id, CLIENT));
        if (this == V3_1_1) {
            reasons.put("MQTT-7.0.0-1", "the broker connects to no other MQTT server");
        }
        return reasons;
    }

    private static int[] numbers(String id) {
        return Arrays.stream(id.substring("MQTT-".length()).split("[.-]", -1))
                .mapToInt(Integer::parseInt)
                .toArray();
    }
}
