package io.mainstem.store.segment;

/**
 * What opening a log found.
 *
 * @param startLsn lowest LSN there
 * @param replayFromLsn where reading began
 * @param tailLsn end of what was kept
 * @param batches read and verified
 * @param groups handed to the visitor
 * @param epoch the new incarnation
 * @param clean closed properly before: nothing was scanned
 * @param torn why what stood behind the tail was cut, empty if nothing did
 */
public record RecoveryReport(
        long startLsn,
        long replayFromLsn,
        long tailLsn,
        long batches,
        long groups,
        int epoch,
        boolean clean,
        String torn) {
    /** As {@code key=value} for a log line; {@link #torn} is a line of its own. */
    @Override
    public String toString() {
        return "start-lsn=" + startLsn + " replay-from-lsn=" + replayFromLsn + " tail-lsn=" + tailLsn + " batches="
                + batches + " groups=" + groups + " epoch=" + epoch + " clean=" + clean;
    }
}
