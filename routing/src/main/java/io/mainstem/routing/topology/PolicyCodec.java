package io.mainstem.routing.topology;

import io.mainstem.routing.Policy;
import io.mainstem.routing.message.BinaryReader;
import io.mainstem.routing.message.BinaryWriter;
import io.mainstem.routing.message.MalformedMessageException;

/**
 * A policy as its META record has it. Decoding throws {@link MalformedMessageException} only. Thread: any.
 *
 * <pre>
 *  u8 version = 1, i64 priority, text name, text pattern, args as {@link SpecCodec} has them
 * </pre>
 */
public final class PolicyCodec {
    private static final int VERSION = 1;

    private PolicyCodec() {}

    /** The record's value. */
    public static byte[] encode(Policy policy) {
        BinaryWriter out = new BinaryWriter(96).u8(VERSION).i64(policy.priority());
        out.text(policy.name()).text(policy.pattern());
        return SpecCodec.arguments(out, policy.definition()).toByteArray();
    }

    /** The policy of a record's value. */
    public static Policy decode(byte[] value) {
        BinaryReader in = new BinaryReader(value);
        int version = in.u8();
        if (version != VERSION) {
            throw new MalformedMessageException("policy version " + version + " (expected: " + VERSION + ")");
        }
        int priority = (int) in.i64();
        Policy policy = new Policy(in.text(), in.text(), priority, SpecCodec.arguments(in));
        in.expectEnd();
        return policy;
    }
}
