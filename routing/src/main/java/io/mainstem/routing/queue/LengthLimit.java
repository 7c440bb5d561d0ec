package io.mainstem.routing.queue;

import org.jspecify.annotations.Nullable;

/**
 * How much a queue may hold.
 *
 * @param messagesMax {@code x-max-length}: messages that are ready; {@link Long#MAX_VALUE} = any number
 * @param bytesMax {@code x-max-length-bytes}: what of the log, and of memory, its messages take, those in flight included; a
 *     message in several queues counts in each with its share; {@link Long#MAX_VALUE} = any number
 * @param overflow {@code x-overflow}: what happens above
 */
record LengthLimit(long messagesMax, long bytesMax, Overflow overflow) {

    /** What happens to a message that is too many. */
    enum Overflow {
        /** The oldest ones go, dead-lettered with reason maxlen. */
        DROP_HEAD("drop-head"),
        /** The publisher gets it back. */
        REJECT_PUBLISH("reject-publish"),
        /** The publisher gets it back, and a copy is dead-lettered with reason maxlen. */
        REJECT_PUBLISH_DLX("reject-publish-dlx"),
        /** Publishers wait. */
        BLOCK("block");

        private final String argument;

        Overflow(String argument) {
            this.argument = argument;
        }

        /** True if the publisher of a message that is too many gets it back. */
        boolean refuses() {
            return this == REJECT_PUBLISH || this == REJECT_PUBLISH_DLX;
        }

        /** The one of that name, or null. */
        static @Nullable Overflow of(String argument) {
            for (Overflow each : values()) {
                if (each.argument.equals(argument)) {
                    return each;
                }
            }
            return null;
        }
    }
}
