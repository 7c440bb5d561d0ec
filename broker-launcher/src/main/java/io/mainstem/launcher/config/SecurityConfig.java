package io.mainstem.launcher.config;

import io.mainstem.transport.security.LoginPolicy;
import io.mainstem.transport.security.ScramVerifier;
import java.nio.file.Path;

/**
 * Who may come in, and what guessing costs.
 *
 * @param usersFile absolute
 * @param passwordIterations of PBKDF2, for passwords that are set from now on
 * @param failedLoginsBurst failures an address is forgiven at once
 * @param failedLoginIntervalMs one more is forgiven every so many ms
 */
public record SecurityConfig(
        Path usersFile, LoginPolicy logins, int passwordIterations, int failedLoginsBurst, int failedLoginIntervalMs) {
    public SecurityConfig {
        if (passwordIterations < ScramVerifier.ITERATIONS_MIN || passwordIterations > ScramVerifier.ITERATIONS_MAX) {
            throw new IllegalArgumentException("security.password-iterations: " + passwordIterations + " (expected: "
                    + ScramVerifier.ITERATIONS_MIN + " to " + ScramVerifier.ITERATIONS_MAX + ")");
        }
        if (failedLoginsBurst < 1) {
            throw new IllegalArgumentException(
                    "security.failed-logins-burst: " + failedLoginsBurst + " (expected: >= 1)");
        }
        if (failedLoginIntervalMs < 1) {
            throw new IllegalArgumentException(
                    "security.failed-login-interval: " + failedLoginIntervalMs + " (expected: >= 1 ms)");
        }
    }

    static SecurityConfig of(Settings settings, Path data) {
        return new SecurityConfig(
                settings.get(ConfigKeys.SECURITY_USERS_FILE)
                        .map(file -> file.toAbsolutePath().normalize())
                        .orElse(data.resolve("users.yaml")),
                new LoginPolicy(anonymous(settings), plainText(settings)),
                Math.toIntExact(settings.get(ConfigKeys.SECURITY_PASSWORD_ITERATIONS)),
                Math.toIntExact(settings.get(ConfigKeys.SECURITY_FAILED_LOGINS_BURST)),
                Math.toIntExact(settings.get(ConfigKeys.SECURITY_FAILED_LOGIN_INTERVAL)));
    }

    private static LoginPolicy.Anonymous anonymous(Settings settings) {
        return switch (settings.get(ConfigKeys.SECURITY_ANONYMOUS)) {
            case "off" -> LoginPolicy.Anonymous.NOBODY;
            case "loopback" -> LoginPolicy.Anonymous.LOOPBACK;
            case "everywhere" -> LoginPolicy.Anonymous.EVERYBODY;
            default -> LoginPolicy.Anonymous.AUTO;
        };
    }

    private static LoginPolicy.PlainText plainText(Settings settings) {
        return settings.get(ConfigKeys.SECURITY_PLAIN_TEXT_PASSWORDS).equals("everywhere")
                ? LoginPolicy.PlainText.EVERYBODY
                : LoginPolicy.PlainText.LOOPBACK;
    }
}
