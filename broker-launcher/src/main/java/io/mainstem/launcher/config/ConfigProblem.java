package io.mainstem.launcher.config;

/**
 * One thing wrong with the configuration.
 *
 * @param code stable id, listed in docs/log-ids.md
 * @param place file and line, variable or option
 * @param problem names the key, what was found, what is expected
 * @param fix what to do
 */
public record ConfigProblem(String code, String place, String problem, String fix) {
    @Override
    public String toString() {
        return code + " " + place + ": " + problem + " fix: " + fix;
    }
}
