package io.mainstem.launcher.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Reads the YAML file into flat keys with the line each stands on; nested maps and dotted keys mean the same. */
final class ConfigFile {
    private final Path file;
    private final List<RawSetting> settings = new ArrayList<>();
    private final Deque<String> sections = new ArrayDeque<>();

    private ConfigFile(Path file) {
        this.file = file;
    }

    /** @throws ConfigException if it cannot be read or is no map of maps and plain values */
    static List<RawSetting> read(Path file) {
        ConfigFile reader = new ConfigFile(file);
        try (YAMLParser parser = new YAMLFactory().createParser(Files.readString(file))) {
            reader.readDocument(parser);
        } catch (JsonProcessingException e) {
            throw reader.malformed(
                    e.getLocation(), e.getOriginalMessage().lines().findFirst().orElse("malformed"));
        } catch (IOException e) {
            throw new ConfigException(new ConfigProblem(
                    "MS-0103",
                    file.toString(),
                    "cannot be read: " + e,
                    "give a readable YAML file with --config FILE, or leave the option away to use the defaults."));
        }
        return reader.settings;
    }

    private void readDocument(YAMLParser parser) throws IOException {
        JsonToken first = parser.nextToken();
        if (first == null || first == JsonToken.VALUE_NULL) {
            return; // Only comments, or nothing.
        }
        if (first != JsonToken.START_OBJECT) {
            throw malformed(parser.currentTokenLocation(), "not a map of keys to values");
        }
        while (parser.nextToken() != null) {
            readToken(parser);
        }
    }

    private void readToken(YAMLParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.FIELD_NAME) {
            sections.addLast(parser.currentName());
        } else if (token == JsonToken.END_OBJECT) {
            sections.pollLast();
        } else if (token == JsonToken.START_ARRAY) {
            throw malformed(parser.currentTokenLocation(), key() + " is a list; every key has one plain value");
        } else if (token.isScalarValue()) {
            int line = parser.currentTokenLocation().getLineNr();
            String text = token == JsonToken.VALUE_NULL ? "" : parser.getText();
            settings.add(new RawSetting(key(), text, new Origin(Origin.Layer.FILE, file + ":" + line)));
            sections.removeLast();
        }
    }

    private String key() {
        return String.join(".", sections);
    }

    private ConfigException malformed(JsonLocation location, String what) {
        return new ConfigException(new ConfigProblem(
                "MS-0103",
                file + ":" + location.getLineNr(),
                what + ".",
                "write it as 'section:' with 'key: value' lines below, two spaces in; etc/mainstem.yaml shows how."));
    }
}
