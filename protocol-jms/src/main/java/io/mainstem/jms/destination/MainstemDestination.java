package io.mainstem.jms.destination;

import jakarta.jms.Destination;
import java.io.Serializable;

/**
 * A place to send to and to receive from. Two destinations of one kind and address are equal, whoever made them.
 * Thread: immutable.
 */
public abstract sealed class MainstemDestination implements Destination, Serializable
        permits MainstemQueue, MainstemTopic, MainstemTemporaryQueue, MainstemTemporaryTopic {
    private static final long serialVersionUID = 1;

    private final Kind kind;
    private final String address;

    MainstemDestination(Kind kind, String address) {
        this.kind = kind;
        this.address = address;
    }

    /** The plain name; never empty. */
    public final String address() {
        return address;
    }

    public final Kind kind() {
        return kind;
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof MainstemDestination that && kind == that.kind && address.equals(that.address);
    }

    @Override
    public final int hashCode() {
        return 31 * address.hashCode() + kind.code();
    }

    @Override
    public final String toString() {
        return address;
    }
}
