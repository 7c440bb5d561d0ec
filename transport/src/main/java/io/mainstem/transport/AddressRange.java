package io.mainstem.transport;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * An IP network such as {@code 10.0.0.0/8}, or one address. Immutable.
 *
 * @param prefixBits leading bits that count
 */
public record AddressRange(InetAddress network, int prefixBits) {
    /** @throws IllegalArgumentException if the text is no address or network; names are not looked up */
    public static AddressRange parse(String text) {
        int slash = text.indexOf('/');
        InetAddress network = literal(slash < 0 ? text : text.substring(0, slash));
        try {
            int bits = network == null ? 0 : network.getAddress().length * Byte.SIZE;
            int prefix = slash < 0 ? bits : Integer.parseInt(text.substring(slash + 1));
            if (network != null && prefix >= 0 && prefix <= bits) {
                return new AddressRange(network, prefix);
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(text + ": the prefix is no number", e);
        }
        throw new IllegalArgumentException(text + " is no address and no network (expected: such as 10.0.0.0/8)");
    }

    /** The address, or null if the text is no IPv4 or IPv6 address. */
    static @Nullable InetAddress literal(String text) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(text);
        try {
            return bytes == null ? null : InetAddress.getByAddress(bytes);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException("4 or 16 bytes are an address", impossible);
        }
    }

    boolean contains(InetAddress address) {
        byte[] ours = network.getAddress();
        byte[] its = address.getAddress();
        if (ours.length != its.length) {
            return false;
        }
        for (int bit = 0; bit < prefixBits; bit++) {
            int mask = 0x80 >> (bit % Byte.SIZE);
            if ((ours[bit / Byte.SIZE] & mask) != (its[bit / Byte.SIZE] & mask)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return network.getHostAddress() + "/" + prefixBits;
    }
}
