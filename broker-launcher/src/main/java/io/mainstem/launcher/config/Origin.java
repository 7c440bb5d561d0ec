package io.mainstem.launcher.config;

/**
 * Where a value came from. The later constant of {@link Layer} wins.
 *
 * @param place for people: {@code etc/mainstem.yaml:7}, {@code MAINSTEM_AMQP_PORT}, {@code --set}
 */
public record Origin(Layer layer, String place) {
    /** Who may set a value; later ones override earlier ones. */
    public enum Layer {
        DEFAULT,
        FILE,
        ENVIRONMENT,
        COMMAND_LINE
    }

    static final Origin DEFAULT = new Origin(Layer.DEFAULT, "default");
}
