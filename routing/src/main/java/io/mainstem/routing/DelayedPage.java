package io.mainstem.routing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of the messages that wait for their time. Immutable.
 *
 * @param messages maybe fewer than were asked for, none even, although there are more
 * @param next what to give as {@code after} for the next page; null = there are no more
 */
public record DelayedPage(
        List<DelayedMessage> messages, @Nullable String next) {
    public DelayedPage {
        messages = List.copyOf(messages);
    }
}
