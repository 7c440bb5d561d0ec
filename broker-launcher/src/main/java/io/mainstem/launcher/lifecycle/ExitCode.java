package io.mainstem.launcher.lifecycle;

/** Exit codes of the {@code mainstem} command, after sysexits.h; docs/operations.md explains them. */
public enum ExitCode {
    OK(0),
    /** The command line itself is wrong. */
    USAGE(64),
    /** A request of the command is refused for what it says. */
    REQUEST_REFUSED(65),
    /** What the command names does not exist. */
    NO_SUCH(66),
    /** No broker answers, or it ended the connection. */
    UNREACHABLE(69),
    /** A bug of ours. */
    INTERNAL(70),
    /** The data folder cannot be created or written. */
    DATA_FOLDER(73),
    /** The log met an I/O error and stopped. */
    LOG_IO(74),
    /** A port or the data folder is held by someone else: trying again later may work. */
    IN_USE(75),
    /** The broker does not let this user do that. */
    NOT_PERMITTED(77),
    /** The configuration or the log's content is refused: a person has to look. */
    REFUSED(78),
    /** What a messaging command waited for did not come in the time it was given; as timeout(1) has it. */
    NO_ANSWER(124);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    /** What the process returns. */
    public int number() {
        return number;
    }
}
