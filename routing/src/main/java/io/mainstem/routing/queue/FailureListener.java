package io.mainstem.routing.queue;

/** Told when the log or the shard has failed, once; the process then has to end (exit code 74). */
@FunctionalInterface
public interface FailureListener {
    /** Thread: shard; must not block. */
    void onFailure(Throwable cause);
}
