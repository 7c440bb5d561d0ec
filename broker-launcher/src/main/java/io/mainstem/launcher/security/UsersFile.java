package io.mainstem.launcher.security;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.mainstem.routing.access.AccessRule;
import io.mainstem.transport.security.SaslPrep;
import io.mainstem.transport.security.ScramHash;
import io.mainstem.transport.security.ScramVerifier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users file, YAML: {@code decoy-key} and {@code users}, a map of names to {@code verifiers} and
 * {@code permissions}. Hashes only; still it is
 * readable for its owner alone. A file that does not exist has no users.
 *
 * @param path absolute
 */
public record UsersFile(Path path) {
    private static final Logger LOG = LoggerFactory.getLogger(UsersFile.class);
    private static final int DECOY_KEY_BYTES = 32;
    private static final int NAME_CHARS_MAX = 255;
    private static final String HEADING = """
            # Users of a Mainstem broker; a running one notices changes by itself.
            # Change it with 'mainstem user', or by hand: docs/operations.md explains the format.
            """;
    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
            .build());

    // ---- reading ---------------------------------------------------------------------------------------------

    /** @throws UsersFileException if it is there but cannot be read or understood */
    public UserList read() {
        try {
            return parse(Files.readString(path));
        } catch (NoSuchFileException none) {
            return new UserList(Map.of(), newDecoyKey());
        } catch (JsonProcessingException malformed) {
            String place = malformed.getLocation() == null
                    ? ""
                    : ":" + malformed.getLocation().getLineNr();
            throw new UsersFileException(
                    "MS-0115",
                    path + place + " is no YAML: "
                            + malformed.getOriginalMessage().lines().findFirst().orElse("malformed") + ".",
                    "mend that line, or restore the file from a copy.",
                    malformed);
        } catch (IOException e) {
            throw new UsersFileException(
                    "MS-0115",
                    path + " cannot be read: " + e + ".",
                    "let the user that runs the broker read it (it is written with mode 600).",
                    e);
        }
    }

    /** True if it says nothing, as one that has gone or is being written. */
    boolean isBlank() {
        try {
            return Files.readString(path).isBlank();
        } catch (IOException gone) {
            return true;
        }
    }

    private UserList parse(String text) throws JsonProcessingException {
        JsonNode root = YAML.readTree(text);
        onlyKeys(root, "the file", List.of("decoy-key", "users"));
        Map<String, User> users = new HashMap<>();
        onlyMap(root.path("users"), "users");
        for (Map.Entry<String, JsonNode> entry : root.path("users").properties()) {
            users.put(entry.getKey(), user(entry.getKey(), entry.getValue()));
        }
        String decoyKey = root.path("decoy-key").asText("");
        return new UserList(users, decoyKey.isEmpty() ? newDecoyKey() : decodeKey(decoyKey));
    }

    private User user(String name, JsonNode node) {
        checkName(name);
        onlyKeys(node, "user '" + name + "'", List.of("verifiers", "permissions"));
        Map<ScramHash, ScramVerifier> verifiers = new EnumMap<>(ScramHash.class);
        for (JsonNode text : node.path("verifiers")) {
            try {
                ScramVerifier verifier = ScramVerifier.parse(text.asText());
                verifiers.put(verifier.hash(), verifier);
            } catch (IllegalArgumentException e) {
                throw refused(
                        "user '" + name + "': " + e.getMessage(), "set a new password: mainstem user passwd NAME.");
            }
        }
        return new User(name, verifiers, permissions(name, node.path("permissions")));
    }

    private List<AccessRule> permissions(String user, JsonNode lines) {
        List<AccessRule> rules = new ArrayList<>();
        for (JsonNode line : lines) {
            try {
                AccessRule rule = AccessRule.parse(line.asText());
                if (rule.doubt() != null) {
                    LOG.warn("MS-0127 permission of user '{}': {} fix: correct it in {}.", user, rule.doubt(), path);
                }
                rules.add(rule);
            } catch (IllegalArgumentException e) {
                throw refused("user '" + user + "': " + e.getMessage(), "correct that line.");
            }
        }
        return rules;
    }

    private byte[] decodeKey(String text) {
        try {
            byte[] key = Base64.getDecoder().decode(text);
            if (key.length >= 16) {
                return key;
            }
        } catch (IllegalArgumentException notBase64) {
            // Refused below, as is one that is too short.
        }
        throw refused(
                "decoy-key is not 16 bytes or more in base 64",
                "remove the line; a new key is made with the next change.");
    }

    private void onlyKeys(JsonNode node, String where, List<String> known) {
        onlyMap(node, where);
        TreeSet<String> unknown = new TreeSet<>();
        node.fieldNames().forEachRemaining(unknown::add);
        known.forEach(unknown::remove);
        if (!unknown.isEmpty()) {
            throw refused(
                    where + " has the unknown key '" + unknown.first() + "'",
                    "remove it, or write one of: " + String.join(", ", known) + ".");
        }
    }

    private void onlyMap(JsonNode node, String where) {
        if (!node.isObject() && !node.isNull() && !node.isMissingNode()) {
            throw refused(where + " is no map", "write it as docs/operations.md shows.");
        }
    }

    private void checkName(String name) {
        if (name.length() > NAME_CHARS_MAX || !name.equals(SaslPrep.prepare(name))) {
            throw refused(
                    "'" + name + "' is no user name (expected: 1 to " + NAME_CHARS_MAX
                            + " characters in their normal form, no control characters)",
                    "choose another name.");
        }
    }

    private UsersFileException refused(String problem, String fix) {
        return new UsersFileException("MS-0115", path + ": " + problem + ".", fix, null);
    }

    private static byte[] newDecoyKey() {
        byte[] key = new byte[DECOY_KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return key;
    }

    // ---- writing ---------------------------------------------------------------------------------------------

    /**
     * Replaces the file in one step: a reader sees the old or the new one. Mode 600 where the file system has modes.
     *
     * @throws UsersFileException if it cannot be written; nothing is changed then
     */
    public void write(UserList list) {
        list.byName().keySet().forEach(this::checkName);
        try {
            Path folder = path.toAbsolutePath().getParent();
            Files.createDirectories(folder);
            // Made with mode 600 by the JDK.
            Path written = Files.createTempFile(folder, path.getFileName().toString(), ".tmp");
            try (FileChannel channel = FileChannel.open(written, StandardOpenOption.WRITE)) {
                ByteBuffer text = ByteBuffer.wrap((HEADING + text(list)).getBytes(StandardCharsets.UTF_8));
                while (text.hasRemaining()) {
                    channel.write(text);
                }
                channel.force(true);
            }
            Files.move(written, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UsersFileException(
                    "MS-0116",
                    path + " cannot be written: " + e + ".",
                    "make room, or give this user write permission on its folder.",
                    e);
        }
    }

    private static String text(UserList list) throws JsonProcessingException {
        ObjectNode root = YAML.createObjectNode();
        root.put("decoy-key", Base64.getEncoder().encodeToString(list.decoyKey()));
        ObjectNode users = root.putObject("users");
        for (User user : list.sorted()) {
            ObjectNode entry = users.putObject(user.name());
            for (ScramHash hash : ScramHash.values()) {
                ScramVerifier verifier = user.verifiers().get(hash);
                if (verifier != null) {
                    entry.withArrayProperty("verifiers").add(verifier.text());
                }
            }
            for (AccessRule rule : user.permissions()) {
                entry.withArrayProperty("permissions").add(rule.text());
            }
        }
        return YAML.writeValueAsString(root);
    }
}
