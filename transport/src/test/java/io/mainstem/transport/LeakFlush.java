package io.mainstem.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * After each test class: collects garbage, then makes Netty look for buffers that were dropped without a release, so
 * that its {@code LEAK:} line stands in the output of the class to blame. The build fails on such a line.
 *
 * <p>JUnit finds this class by itself in every module with the transport's test-jar on its test class path.
 */
public final class LeakFlush implements AfterAllCallback {
    private static final int ROUNDS = 3;
    private static final long REFERENCE_HANDLER_NANOS = 5_000_000;

    @Override
    public void afterAll(ExtensionContext context) {
        if (context.getRequiredTestClass().getEnclosingClass() == null) {
            flush();
        }
    }

    @SuppressWarnings("SystemGc") // the leak detector learns of a dropped buffer from the collector only
    private static void flush() {
        for (int i = 0; i < ROUNDS; i++) {
            System.gc();
            LockSupport.parkNanos(REFERENCE_HANDLER_NANOS);
            // Netty reports what was found earlier whenever it begins to track a new buffer.
            ByteBuf probe = UnpooledByteBufAllocator.DEFAULT.directBuffer(1);
            probe.release();
        }
    }
}
