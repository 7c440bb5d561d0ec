package io.mainstem.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** What the build wrote down about itself. */
final class BuildInfo {
    private static final String VERSION = read();

    private BuildInfo() {}

    /** Such as {@code 0.1.0}. */
    static String version() {
        return VERSION;
    }

    private static String read() {
        Properties properties = new Properties();
        try (InputStream in = BuildInfo.class.getResourceAsStream("build.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "unknown");
    }
}
