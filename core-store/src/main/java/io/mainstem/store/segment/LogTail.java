package io.mainstem.store.segment;

/**
 * Where the log goes on after recovery.
 *
 * @param lsn the next batch starts here
 * @param epoch the writer's incarnation
 * @param lastBatchLsn start of the batch before, 0 = none or unknown
 * @param lastBatchIndex its number
 */
record LogTail(long lsn, int epoch, long lastBatchLsn, long lastBatchIndex) {}
