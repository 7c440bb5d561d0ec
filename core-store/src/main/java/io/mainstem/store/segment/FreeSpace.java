package io.mainstem.store.segment;

import io.mainstem.store.StoreState;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks, when asked, how much of the disk is free. Thread: {@link #ask} any, {@link #look} keeper. */
final class FreeSpace {
    private static final Logger LOG = LoggerFactory.getLogger(FreeSpace.class);

    private final SegmentFiles segmentFiles;
    private final long highBytes;
    private final LogHealth health;
    private volatile boolean asked;
    private boolean unknown;

    /** @param highBytes less than that is too little for publishers */
    FreeSpace(SegmentFiles segmentFiles, long highBytes, LogHealth health) {
        this.segmentFiles = segmentFiles;
        this.highBytes = highBytes;
        this.health = health;
    }

    /** Once more, soon; the keeper is to be woken. */
    void ask() {
        asked = true;
    }

    void look() {
        if (!asked) {
            return;
        }
        asked = false;
        try {
            long free = segmentFiles.usableBytes();
            unknown = false;
            if (free < highBytes) {
                health.low(free + " bytes free (expected: >= " + highBytes + ")");
            } else if (health.state() != StoreState.DISK_HIGH || free >= highBytes + highBytes / 50) {
                health.low(null);
            }
        } catch (IOException e) {
            if (!unknown) {
                unknown = true;
                LOG.warn(
                        "MS-0216 free space of {} is unknown: {} fix: check the disk; it is asked again",
                        segmentFiles.logDirectory(),
                        e.toString());
            }
        }
    }
}
