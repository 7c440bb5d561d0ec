package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.QueueStatus;
import io.mainstem.routing.queue.SimCopy.Fate;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.files.SimFaults.PowerCut;
import io.mainstem.store.files.SimFaults.ReadError;
import io.mainstem.store.shard.LongLanes;
import io.mainstem.store.shard.SteppedStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One seed: several lives of a broker on one simulated disk, each ended by a clean stop, a kill or a power cut, some at any
 * write. In each clients publish, consume, settle, transact and so on at random; whenever all has come to rest the broker
 * must have exactly what the model has, and after each crash what was promised, with nothing half done.
 */
final class BrokerSimulation {
    private static final int LIVES = 3;

    private final SplittableRandom random;
    private final SplittableRandom begins;
    private final SimReached reached;
    private final SimDisk disk = new SimDisk();
    private final SteppedBroker.Clock clock = new SteppedBroker.Clock();
    private final SimModel model;
    private final SimCheck check;
    private final SimPublisher publisher;
    private @Nullable SteppedBroker broker;
    private @Nullable SimClients clients;
    /** Whether the queue that comes and goes is there; null = nobody knows. */
    private @Nullable Boolean extra = false;

    private boolean declared;
    /** The disk is to break; nothing else may end the broker. */
    private boolean breaks;

    private int readsToFail;

    BrokerSimulation(long seed, SimReached reached) {
        this.random = new SplittableRandom(seed);
        this.begins = new SplittableRandom(seed * 31);
        this.reached = reached;
        this.model = new SimModel(reached);
        this.check = new SimCheck(model, reached);
        this.publisher = new SimPublisher(random, model, reached);
    }

    void run() {
        beginLanes();
        for (int life = 0; life < LIVES; life++) {
            if (life > 0 && random.nextInt(6) == 0) {
                disk.faults().powerCutIn(random.nextInt(40));
            }
            try {
                open();
                chooseFault();
                live();
            } catch (PowerCut cut) {
                powerCut();
            }
        }
        disk.faults().clear();
        open();
        drain();
    }

    /** Through some lanes so much has passed before that they stand just before 2^31, 2^32 or 2^47. */
    private void beginLanes() {
        if (begins.nextInt(4) == 0) {
            new SteppedStore(disk, clock).store().close();
            new LongLanes(begins, clock.millis()).into(disk, SteppedStore.config());
            reached.add("long lanes");
        }
    }

    private SteppedBroker broker() {
        return Objects.requireNonNull(broker);
    }

    private SimClients clients() {
        return Objects.requireNonNull(clients);
    }

    private void powerCut() {
        reached.add("power cut in " + (broker == null ? SteppedBroker.Part.OPENING : broker.at()));
        if (clients != null && clients.anyOpen()) {
            reached.add("left open");
        }
        disk.faults().capacityBytes(Long.MAX_VALUE);
        disk.powerCut(random.nextLong());
    }

    // ---- begin and end of a life -----------------------------------------------------------------------------

    /** Starts and finds out what has survived. */
    private void open() {
        List<SimUnit> units = clients == null ? List.of() : List.copyOf(clients.units);
        broker = null;
        model.rethrow();
        SteppedBroker opened = new SteppedBroker(disk, clock, 1 + random.nextInt(random.nextBoolean() ? 8 : 2048));
        SimClients connected = new SimClients(random, opened, clock, model, publisher, reached);
        model.restarted();
        publisher.restarted();
        rest(opened);
        BrokerSession session = connected.session();
        boolean has = session.queue(SimTopology.EXTRA) != null;
        if (declared) {
            assertThat(session.queue("all-levels")).as("what was declared").isNotNull();
        }
        if (extra != null) {
            assertThat(has).as("the queue that comes and goes").isEqualTo(extra);
        }
        if (!has) {
            model.dropped(SimTopology.EXTRA);
        }
        model.expire(clock.millis());
        SimObservation seen = SimObservation.of(opened, session);
        check.recovered(seen, units, clock.millis());
        broker = opened;
        clients = connected;
        extra = has;
        SimTopology.declare(opened, session);
        declared = true;
    }

    private void chooseFault() {
        int fault = random.nextInt(14);
        breaks = fault == 4 || fault == 5;
        switch (fault) {
            case 0, 1, 2, 3 -> disk.faults().powerCutIn(random.nextInt(400));
            case 4 -> disk.faults().syncFailsIn(random.nextInt(60));
            case 5 -> disk.faults().shortWriteIn(random.nextInt(150));
            case 6 -> disk.faults().capacityBytes((400 << 10) + random.nextInt(1 << 20));
            case 7 -> disk.fillUp(random.nextInt(40 << 10));
            case 8, 9, 10 -> readsFail();
            default -> {
                // a life without faults
            }
        }
    }

    private void readsFail() {
        ReadError[] errors = ReadError.values();
        readsToFail = 1 + random.nextInt(4);
        disk.faults().readsFailIn(random.nextInt(60), readsToFail, errors[random.nextInt(errors.length)]);
    }

    private void live() {
        for (int bursts = 2 + random.nextInt(5); bursts > 0; bursts--) {
            extra = null;
            clients().actAtRest();
            for (int steps = 10 + random.nextInt(60); steps > 0; steps--) {
                if (random.nextInt(4) == 0) {
                    clients().act();
                } else {
                    broker().step(random);
                }
            }
            if (random.nextInt(12) == 0) {
                break; // an end in the middle of everything
            }
            if (!atRest()) {
                assertThat(breaks)
                        .as("nothing is wrong with the log: %s", broker().failure())
                        .isTrue();
                reached.add("log failed");
                break;
            }
        }
        end();
    }

    private void end() {
        disk.faults().capacityBytes(Long.MAX_VALUE);
        if (clients().anyOpen()) {
            reached.add("left open");
        }
        switch (random.nextInt(3)) {
            case 0 -> {
                broker().abandon();
                disk.processDeath();
                reached.add("killed");
            }
            case 1 -> {
                disk.faults().clear();
                disk.powerCut(random.nextLong());
                reached.add("power cut at rest");
            }
            default -> stop();
        }
    }

    private void stop() {
        boolean quiet = atRest();
        broker().close();
        if (broker().failure() instanceof PowerCut cut) {
            throw cut;
        }
        disk.processDeath();
        if (quiet && broker().failure() == null) {
            model.quiet();
            model.synced(model.mark());
            reached.add("stopped");
            loseCheckpoint();
        }
    }

    /** The next life may have to begin at the older checkpoint, which leads to the same with all the log behind it. */
    private void loseCheckpoint() {
        List<Path> checkpoints = broker().store().checkpoints();
        if (checkpoints.size() == 2 && random.nextInt(3) != 0) {
            Path newest = checkpoints.get(1);
            disk.flipBit(newest, disk.contents(newest).length / 2, 3);
            reached.add("older checkpoint");
        }
    }

    // ---- rest ------------------------------------------------------------------------------------------------

    /** Lets everything come to rest and compares; false if the broker has failed instead. */
    private boolean atRest() {
        clients().endAll();
        if (!rest(broker())) {
            return false;
        }
        SimObservation seen = SimObservation.of(broker(), clients().session());
        if (broker().failed()) {
            return false;
        }
        model.rethrow();
        model.expire(clock.millis());
        extra = clients().session().queue(SimTopology.EXTRA) != null;
        check.atRest(seen, clock.millis());
        model.quiet();
        if (broker().store().compacted()) {
            reached.add("compacted");
        }
        return true;
    }

    private boolean rest(SteppedBroker at) {
        at.settle();
        if (at.store().store().state() == StoreState.DISK_CRITICAL
                || at.store().store().state() == StoreState.DISK_HIGH) {
            reached.add("disk full");
            disk.faults().capacityBytes(Long.MAX_VALUE);
        }
        if (readsToFail > 0) {
            if (disk.faults().readsSucceed(readsToFail) > 0) {
                reached.add("reads failed");
            }
            readsToFail = 0;
        }
        // Long enough for the next look at the disk, and for a look at what expires while time stands still. Nothing
        // expires in the last step, after which what the broker has settled by itself has ridden along.
        for (long step : new long[] {2000 - clock.millis() % 1000, 1000, 10}) {
            clock.advance(step);
            at.settle();
        }
        while (model.dueSince(clock.millis() - 10, clock.millis())) {
            // It came when it had expired, and what settles that has to ride along, too.
            clock.advance(10);
            at.settle();
        }
        return !at.failed();
    }

    /** The end: everything is taken, and nothing is left. */
    private void drain() {
        long lastMs =
                model.copies().stream().mapToLong(copy -> copy.dueMs).max().orElse(0);
        clock.advance(Math.max(0, lastMs - clock.millis()));
        assertThat(rest(broker())).as("runs").isTrue();
        model.expire(clock.millis());
        BrokerSession session = clients().session();
        for (String queue : SimTopology.QUEUES) {
            if (session.queue(queue) != null) {
                SimConsumer last = new SimConsumer(broker(), model, 0, queue);
                ConsumerSpec spec = new ConsumerSpec("last", false, false, true, 0, Outcome.FAILED);
                session.consume(queue, spec, last).thenAccept(last::attached);
                session.flush();
                broker().settle();
                last.credit(1_000_000);
                session.flush();
                broker().settle();
                last.held.values().forEach(copy -> model.settled(copy, Outcome.ACCEPTED));
            }
        }
        assertThat(rest(broker())).as("runs").isTrue();
        assertThat(model.copies()).as("never came").noneMatch(copy -> copy.fate == Fate.THERE);
        for (QueueStatus left :
                Objects.requireNonNull(broker().ask(session, each -> each.status(SimTopology.QUEUES)))) {
            assertThat(left.ready() + left.unacknowledged()).as("left: " + left).isZero();
        }
        broker().abandon();
    }
}
