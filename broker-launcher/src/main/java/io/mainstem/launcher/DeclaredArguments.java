package io.mainstem.launcher;

import java.util.LinkedHashMap;
import java.util.Map;

/** Arguments as people write them: whole numbers and true or false are what they look like, the rest is text. */
final class DeclaredArguments {
    private DeclaredArguments() {}

    static Map<String, Object> of(Map<String, String> written) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        written.forEach((name, text) -> arguments.put(name, value(text)));
        return arguments;
    }

    private static Object value(String text) {
        if (text.equals("true") || text.equals("false")) {
            return Boolean.valueOf(text);
        }
        if (text.matches("-?\\d{1,18}")) {
            return Long.valueOf(text);
        }
        return text;
    }
}
