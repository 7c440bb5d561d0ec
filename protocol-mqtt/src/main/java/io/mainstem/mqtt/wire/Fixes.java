package io.mainstem.mqtt.wire;

import java.util.Map;

/** What a peer can do about a refusal, by the code that its text begins with. Immutable. */
public final class Fixes {
    private static final int CODE_CHARS = 7;

    private static final Map<String, String> BY_CODE = Map.ofEntries(
            Map.entry("MS-0601", "correct the client"),
            Map.entry("MS-0602", "correct the client"),
            Map.entry("MS-0603", "send less, or raise the limit at the broker"),
            Map.entry("MS-0604", "use MQTT 3.1, 3.1.1 or 5.0"),
            Map.entry("MS-0605", "correct it as the message says"),
            Map.entry("MS-0606", "give one, or use MQTT 5, where the broker gives one"),
            Map.entry("MS-0607", "use one that is expected, or none"),
            Map.entry("MS-0608", "give each client its own"),
            Map.entry("MS-0609", "look at the broker's log, then connect again"),
            Map.entry("MS-0610", "correct what was asked for, or the permissions at the broker"),
            Map.entry("MS-0611", "report it with the broker's log"),
            Map.entry("MS-0612", "connect again"),
            Map.entry("MS-0614", "send PINGREQ in time, or ask for a longer keep alive"),
            Map.entry("MS-0616", "give the right back and subscribe again"),
            Map.entry("MS-0618", "use the right user name and password"),
            Map.entry("MS-0619", "connect more slowly, or raise the limit"),
            Map.entry("MS-0620", "give the right back, or make the queue again, then subscribe again"),
            Map.entry("MS-0622", "report it with the message"),
            Map.entry("MS-0624", "none; they are offered again each second"));

    private Fixes() {}

    /** The text with what can be done, if it does not say so already. */
    public static String in(String text) {
        String fix = text.length() < CODE_CHARS ? null : BY_CODE.get(text.substring(0, CODE_CHARS));
        return fix == null || text.contains("fix: ") ? text : text + " fix: " + fix;
    }
}
