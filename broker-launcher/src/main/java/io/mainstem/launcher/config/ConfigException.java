package io.mainstem.launcher.config;

import java.io.Serial;
import java.util.List;
import java.util.stream.Collectors;

/** The configuration is wrong; carries every problem found, so that one look mends them all. */
public final class ConfigException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient List<ConfigProblem> problems;

    ConfigException(List<ConfigProblem> problems) {
        super(problems.stream().map(ConfigProblem::toString).collect(Collectors.joining(System.lineSeparator())));
        this.problems = List.copyOf(problems);
    }

    ConfigException(ConfigProblem problem) {
        this(List.of(problem));
    }

    /** In the order of the layers, then of the lines. */
    public List<ConfigProblem> problems() {
        return problems;
    }
}
