package io.mainstem.store.checkpoint;

/**
 * What an image says of itself.
 *
 * @param sequence of checkpoints of this store, from 2 on; 1 stands for none
 * @param replayLsn the log is to be replayed from here
 * @param syncedLsn the log is known durable up to here; covers all that the image contains
 * @param clean written by an orderly stop, nothing follows it in the log
 */
public record ImageHeader(long sequence, long replayLsn, long syncedLsn, boolean clean) {}
