package io.mainstem.conformance;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the clients of the crash test know: sent, confirmed, received, accepted. It outlives the broker. Thread: any.
 *
 * <p>Rules it checks while messages come in: a message was sent before and carries its content; one that was accepted
 * before comes again only with a flag; first deliveries of one producer to one consumer keep their order.
 */
final class CrashJournal {
    private static final int FAULTS_KEPT = 20;

    /** Guards all state, also that which mirrors share. */
    private final Object lock;

    private final long seed;
    private final long[] sent;
    private final BitSet[] confirmed;
    private final BitSet[] received;
    private final BitSet[] accepted;
    private final Map<String, Long> lastFirstDelivery = new HashMap<>();
    private final List<String> faults = new ArrayList<>();
    private long receptions;
    private long repeatsAfterAccept;
    private long repeatsUnflagged;

    CrashJournal(long seed, int producers) {
        this(new Object(), seed, new long[producers], bitSets(producers));
    }

    private CrashJournal(Object lock, long seed, long[] sent, BitSet[] confirmed) {
        this.lock = lock;
        this.seed = seed;
        this.sent = sent;
        this.confirmed = confirmed;
        received = bitSets(sent.length);
        accepted = bitSets(sent.length);
    }

    /** The journal of another receiver of the same messages: a second subscription of the topic. */
    CrashJournal mirror() {
        return new CrashJournal(lock, seed, sent, confirmed);
    }

    long seed() {
        return seed;
    }

    /** The id of the next message of a producer, noted before it is handed to the socket. */
    MessageId nextToSend(int producer) {
        synchronized (lock) {
            return new MessageId(producer, sent[producer]++);
        }
    }

    void confirmed(MessageId id) {
        synchronized (lock) {
            confirmed[id.producer()].set((int) id.sequence());
        }
    }

    /** Noted after the accept has been handed to the socket. */
    void accepted(MessageId id) {
        synchronized (lock) {
            accepted[id.producer()].set((int) id.sequence());
        }
    }

    /**
     * Notes a delivery.
     *
     * @param consumer unique over all lives of the broker
     * @param flagged the broker says that it may have been delivered before
     */
    void received(MessageId id, boolean contentEqual, boolean flagged, String consumer) {
        synchronized (lock) {
            receptions++;
            int sequence = (int) id.sequence();
            if (id.producer() < 0 || id.producer() >= sent.length || sequence >= sent[id.producer()]) {
                fault("invented: " + id + " was never sent");
                return;
            }
            if (!contentEqual) {
                fault("content of " + id + " is not what was sent");
            }
            if (received[id.producer()].get(sequence)) {
                noteRepeat(id, sequence, flagged, consumer);
            } else if (!flagged) {
                Long before = lastFirstDelivery.put(consumer + "/" + id.producer(), id.sequence());
                if (before != null && before > id.sequence()) {
                    fault("order: " + id + " came to " + consumer + " after " + before);
                }
            }
            received[id.producer()].set(sequence);
        }
    }

    /** Confirmed but never received, after the queues have been emptied. */
    List<MessageId> lost() {
        synchronized (lock) {
            List<MessageId> lost = new ArrayList<>();
            for (int producer = 0; producer < sent.length; producer++) {
                BitSet missing = (BitSet) confirmed[producer].clone();
                missing.andNot(received[producer]);
                int of = producer;
                missing.stream().limit(FAULTS_KEPT).forEach(sequence -> lost.add(new MessageId(of, sequence)));
            }
            return lost;
        }
    }

    List<String> faults() {
        synchronized (lock) {
            return List.copyOf(faults);
        }
    }

    void fault(String text) {
        synchronized (lock) {
            if (faults.size() < FAULTS_KEPT) {
                faults.add(text);
            }
        }
    }

    long confirmedCount() {
        synchronized (lock) {
            return count(confirmed);
        }
    }

    /** One line for people. */
    String summary() {
        synchronized (lock) {
            long sentCount = 0;
            for (long count : sent) {
                sentCount += count;
            }
            return "sent=" + sentCount + " confirmed=" + count(confirmed) + " received=" + count(received)
                    + " receptions="
                    + receptions + " accepted=" + count(accepted) + " repeats-after-accept=" + repeatsAfterAccept
                    + " repeats-unflagged=" + repeatsUnflagged;
        }
    }

    private void noteRepeat(MessageId id, int sequence, boolean flagged, String consumer) {
        boolean acceptedBefore = accepted[id.producer()].get(sequence);
        if (acceptedBefore) {
            repeatsAfterAccept++;
        }
        if (!flagged) {
            repeatsUnflagged++;
            if (acceptedBefore) {
                fault("unflagged repeat: " + id + " was accepted before it came to " + consumer);
            }
        }
    }

    private static long count(BitSet[] sets) {
        long count = 0;
        for (BitSet set : sets) {
            count += set.cardinality();
        }
        return count;
    }

    private static BitSet[] bitSets(int count) {
        BitSet[] sets = new BitSet[count];
        for (int i = 0; i < count; i++) {
            sets[i] = new BitSet();
        }
        return sets;
    }
}
