package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/**
 * Identity of a binding: 128 bits of the SHA-256 of all five fields; of an MQTT subscription without its options,
 * so that subscribing again replaces them [S-9]. Part of keys on disk.
 */
record BindingId(long high, long low) implements Comparable<BindingId> {
    static BindingId of(BindingSpec binding) {
        BindingSpec spec = binding;
        if (Grant.isSubscription(binding)) {
            spec = new BindingSpec(
                    binding.source(),
                    binding.destination(),
                    binding.toQueue(),
                    binding.key(),
                    Map.of(Grant.MQTT, true));
        }
        try {
            ByteBuffer digest =
                    ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(SpecCodec.identity(spec)));
            return new BindingId(digest.getLong(), digest.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** 32 hexadecimal digits. */
    String hex() {
        return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
    }

    /** As the digits are. */
    @Override
    public int compareTo(BindingId other) {
        int order = Long.compareUnsigned(high, other.high);
        return order != 0 ? order : Long.compareUnsigned(low, other.low);
    }

    @Override
    public int hashCode() {
        return (int) low;
    }
}
