package io.mainstem.transport.security;

import io.mainstem.transport.Peer;

/**
 * Which ways in are open, by where the peer is.
 *
 * @param anonymous who may come in without a name
 * @param plainText who may send a password in the clear
 */
public record LoginPolicy(Anonymous anonymous, PlainText plainText) {
    /** Who may come in without a name. */
    public enum Anonymous {
        /** Peers on this machine, as long as there are no users. */
        AUTO,
        NOBODY,
        /** Peers on this machine. */
        LOOPBACK,
        EVERYBODY
    }

    /** Who may send a password over a connection that is not encrypted. */
    public enum PlainText {
        /** Peers on this machine. */
        LOOPBACK,
        EVERYBODY
    }

    /** For a broker nobody configured. */
    public static final LoginPolicy DEFAULT = new LoginPolicy(Anonymous.AUTO, PlainText.LOOPBACK);

    boolean anonymous(Peer peer, boolean noUsers) {
        return switch (anonymous) {
            case AUTO -> peer.local() && noUsers;
            case NOBODY -> false;
            case LOOPBACK -> peer.local();
            case EVERYBODY -> true;
        };
    }

    boolean password(Peer peer) {
        return peer.encrypted() || peer.local() || plainText == PlainText.EVERYBODY;
    }

    /** Without users, any name and password will do for peers that could come in anonymously anyway. */
    boolean anyPassword(Peer peer, boolean noUsers) {
        return noUsers && anonymous(peer, true);
    }
}
