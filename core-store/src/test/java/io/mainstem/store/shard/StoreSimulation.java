package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Delay;
import io.mainstem.store.Durability;
import io.mainstem.store.Entry;
import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.MetaChange;
import io.mainstem.store.Route;
import io.mainstem.store.ScheduleLane;
import io.mainstem.store.Settlement;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.files.SimFaults.PowerCut;
import io.mainstem.store.segment.LogInspector;
import io.mainstem.store.segment.SteppedLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * One seed: several lives of a store on one disk, each ended by a clean stop, a kill or a power cut. After each opening
 * the store must hold exactly what a prefix of the submitted groups leaves, and at least all that was confirmed. After
 * each clean stop, older checkpoint + replay must give the same state as the newest one.
 */
final class StoreSimulation {
    private static final int LIVES = 3;
    private static final String NUMBER_KEY = "sim/number";

    private final SplittableRandom random;
    private final SeedsReached reached;
    private final SimDisk disk = new SimDisk();
    private final SplittableRandom damages;
    private final DerivedDamage damage;
    private final FileLoss loss;
    private final List<SimGroup> history = new ArrayList<>();
    private final Set<String> settling = new HashSet<>();
    /** Of each queue, the last group that purges it. */
    private final Map<Integer, Long> purges = new HashMap<>();

    private SimStore sim;
    private final LongLanes begin;
    private StoreModel model;
    /** Whole files are lost, or parts damaged: what one costs is made good by what the other leaves. */
    private final boolean losesFiles;
    /** Where checkpoints are rare, several files of the log are all that tells what they hold. */
    private final StoreConfig config;
    /** What stands from here on may have been lost with its file, within a second after it was confirmed. */
    private long vouched = Long.MAX_VALUE;

    /** Since the last start, or just before it. */
    private boolean derivedDamage;

    private int modelled;
    private long nextNumber = 1;
    private int nextQueue = 4;

    StoreSimulation(long seed, SeedsReached reached) {
        this.random = new SplittableRandom(seed);
        this.damages = new SplittableRandom(~seed);
        this.damage = new DerivedDamage(disk, damages);
        this.loss = new FileLoss(disk, new SplittableRandom(seed ^ 0x5f11e5));
        this.reached = reached;
        SplittableRandom begins = new SplittableRandom(seed * 31);
        boolean longLanes = begins.nextInt(4) == 0;
        this.begin = longLanes ? new LongLanes(begins, 1_800_000_000_000L) : LongLanes.none();
        // Where long lanes begin no log tells; without their checkpoint nothing does.
        this.losesFiles = !longLanes && damages.nextInt(3) == 0;
        this.config = losesFiles && damages.nextInt(3) > 0 ? SimStore.rareCheckpoints() : SimStore.config();
        this.model = new StoreModel(begin);
    }

    void run() {
        if (begin.any()) {
            new SimStore(disk).store().close();
            begin.into(disk, SimStore.config());
        }
        for (int life = 0; life < LIVES; life++) {
            if (random.nextInt(8) == 0) {
                disk.faults().powerCutIn(random.nextInt(30));
            }
            if (open()) {
                live();
            }
        }
        disk.faults().clear();
        assertThat(open()).isTrue();
        sim.store().abandon();
    }

    private boolean open() {
        boolean lost = losesFiles && loss.mayHappen();
        if (lost) {
            lost = loss.happens();
            vouched = lost && loss.hitsLog() ? vouchedLsn() : vouched;
            reached.losses.addAll(loss.deeds());
        }
        boolean damaged = !losesFiles && damages.nextInt(3) == 0 && damage.whileStopped();
        reached.damagedWhileStopped |= damaged;
        derivedDamage = damaged;
        try {
            sim = new SimStore(disk, config);
        } catch (PowerCut e) {
            disk.powerCut(random.nextLong());
            return false;
        } catch (StoreException e) {
            if (!lost && !loss.pending()) {
                throw e;
            }
            // Noticed, and nothing changed: with the files put back all is there.
            reached.lossRefused = true;
            disk.processDeath();
            loss.undo();
            lost = false;
            vouched = Long.MAX_VALUE;
            sim = new SimStore(disk, config);
        }
        disk.faults().clear();
        reached.damagedInCompacted |= damaged && sim.compacted();
        reached.lossMended |= lost;
        recover();
        vouched = Long.MAX_VALUE;
        loss.opened();
        return true;
    }

    /** Up to where what is left of the log says that it was durable. */
    private long vouchedLsn() {
        try {
            return LogInspector.inspect(disk, SteppedLog.FOLDER, Long.MAX_VALUE, new LogInspector.Findings() {})
                    .vouchedLsn();
        } catch (StoreException e) {
            return Long.MAX_VALUE; // it will be refused
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Finds out what has survived, and checks it against what was promised. */
    private void recover() {
        byte[] number = sim.store().meta().get(NUMBER_KEY);
        long survived = number == null ? 0 : Long.parseLong(new String(number, StandardCharsets.UTF_8));
        for (SimGroup group : history) {
            boolean vouchedFor = group.frames().get(0).lsn() < vouched;
            if (group.applied && group.durability() == Durability.SYNC && vouchedFor) {
                assertThat(survived).as("confirmed group survives " + loss).isGreaterThanOrEqualTo(group.number);
            }
        }
        // A group that was refused has no place in the log, even if nobody was told before the end.
        history.removeIf(
                group -> group.number > survived || group.frames().get(0).lsn() < 0);
        history.forEach(group -> group.applied = true);
        settling.clear();
        purges.clear();
        model = StoreModel.of(history, begin);
        modelled = history.size();
        new StoreComparison(sim).mustEqual(model, random, 50);
    }

    private void live() {
        chooseFault();
        try {
            int steps = 40 + random.nextInt(200);
            for (int i = 0; i < steps; i++) {
                if (!losesFiles && damages.nextInt(200) == 0) {
                    boolean done = damage.whileRunning();
                    derivedDamage |= done;
                    reached.damagedWhileRunning |= done;
                }
                if (random.nextInt(4) == 0) {
                    submit();
                } else {
                    sim.step(random);
                }
            }
            end();
        } catch (PowerCut e) {
            disk.powerCut(random.nextLong());
        }
    }

    private void chooseFault() {
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> disk.faults().powerCutIn(random.nextInt(300));
            case 3 -> disk.faults().syncFailsIn(random.nextInt(60));
            case 4 -> disk.faults().shortWriteIn(random.nextInt(150));
            case 5 -> disk.faults().capacityBytes((400 << 10) + random.nextInt(1 << 20));
            default -> {
                // a life without faults
            }
        }
    }

    private void end() {
        disk.faults().capacityBytes(Long.MAX_VALUE);
        reached.look(sim, disk, begin);
        switch (random.nextInt(3)) {
            case 0 -> {
                sim.store().abandon();
                disk.processDeath();
            }
            case 1 -> {
                disk.faults().clear();
                disk.powerCut(random.nextLong());
            }
            default -> stopCleanly();
        }
    }

    private void stopCleanly() {
        sim.store().writeDeferred();
        sim.settle();
        boolean running = sim.store().state() == StoreState.RUNNING;
        if (running) {
            List<SimGroup> applied = new ArrayList<>(history);
            applied.removeIf(group -> group.failed == StoreState.DISK_CRITICAL);
            assertThat(applied).allMatch(group -> group.applied);
            new StoreComparison(sim).mustEqual(StoreModel.of(applied, begin), random, 50);
        }
        if (running) {
            List<String> live = new StoreComparison(sim).digest();
            sim.store().close();
            olderCheckpointPlusReplayMustEqual(live);
        } else {
            sim.store().close();
            disk.processDeath();
        }
    }

    private void olderCheckpointPlusReplayMustEqual(List<String> live) {
        disk.faults().clear();
        sim = new SimStore(disk, config);
        assertThat(new StoreComparison(sim).digest()).as("newest checkpoint").isEqualTo(live);
        sim.store().abandon();
        Path folder = SteppedLog.FOLDER.resolve("ckpt");
        List<String> checkpoints =
                disk.list(folder).stream().filter(name -> name.endsWith(".ckp")).toList();
        // A block that was damaged may be whole again only for who reads the newest one: two damages at once.
        if (checkpoints.size() == 2 && !derivedDamage) {
            Path newest = folder.resolve(checkpoints.get(1));
            byte[] kept = disk.contents(newest);
            disk.flipBit(newest, kept.length / 2, 3);
            sim = new SimStore(disk, config);
            assertThat(new StoreComparison(sim).digest()).as("older checkpoint").isEqualTo(live);
            reached.olderCheckpoint = true;
            sim.store().abandon();
            disk.replace(newest, kept);
        }
        disk.processDeath();
    }

    // ---- operations ------------------------------------------------------------------------------------------

    private void submit() {
        List<Frame> frames = new ArrayList<>();
        List<StoreModel.Operation> operations = new ArrayList<>();
        // Now and then as much as a transaction does at once.
        int more = random.nextInt(12) == 0 ? random.nextInt(15) : random.nextInt(3);
        for (int i = more; i >= 0; i--) {
            operation(frames, operations);
        }
        long number = nextNumber++;
        String text = Long.toString(number);
        put(NUMBER_KEY, text, frames, operations);
        Durability durability = switch (random.nextInt(6)) {
            case 0 -> Durability.WRITE;
            case 1 -> Durability.DEFERRED;
            default -> Durability.SYNC;
        };
        SimGroup group = new SimGroup(number, frames, operations, durability);
        history.add(group);
        sim.store().submit(group);
        if (random.nextInt(3) == 0) {
            sim.store().writeDeferred();
        }
    }

    private void operation(List<Frame> frames, List<StoreModel.Operation> operations) {
        switch (random.nextInt(22)) {
            case 0, 1, 2, 3, 4, 5 -> publish(frames, operations, routes());
            case 6 -> {
                List<Route> hot = List.of(new Route(1, 0));
                for (int i = random.nextInt(60); i >= 0; i--) {
                    publish(frames, operations, hot);
                }
            }
            case 7, 8, 9, 10, 11, 12, 13 -> settle(frames, operations);
            case 14, 15 -> redirect(frames, operations);
            case 16, 17 -> fail(frames, operations);
            case 18 -> purge(frames, operations);
            case 19, 20 -> delay(frames, operations);
            default ->
                put("key/" + random.nextInt(20), random.nextInt(3) == 0 ? null : "v" + nextNumber, frames, operations);
        }
    }

    private List<Route> routes() {
        Set<Integer> queues = new HashSet<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            queues.add(1 + random.nextInt(nextQueue));
        }
        int priority = random.nextInt(5) == 0 ? 1 : 0;
        return queues.stream().map(queue -> new Route(queue, priority)).toList();
    }

    private void publish(List<Frame> frames, List<StoreModel.Operation> operations, List<Route> routes) {
        long message = nextNumber * 1000 + frames.size();
        byte[] head = ByteBuffer.allocate(8).putLong(message).array();
        int bytes = frames.size() > 3 ? 0 : StoreComparison.payloadBytes(message);
        if (bytes != StoreComparison.payloadBytes(message)) {
            message = emptyMessage(message);
            head = ByteBuffer.allocate(8).putLong(message).array();
        }
        List<byte[]> payload = bytes == 0 ? List.of() : List.of(new byte[bytes]);
        frames.add(Frames.message(routes, random.nextInt(2) * 1_800_000_000_000L, message & 3, head, payload));
        operations.add(new StoreModel.Publish(message, routes, ""));
    }

    /** A message that waits in the lane of its hour; {@link #redirect} moves it, as it would when it is due. */
    private void delay(List<Frame> frames, List<StoreModel.Operation> operations) {
        long message = nextNumber * 1000 + frames.size();
        byte[] head = ByteBuffer.allocate(8).putLong(message).array();
        int bytes = StoreComparison.payloadBytes(message);
        List<byte[]> payload = bytes == 0 ? List.of() : List.of(new byte[bytes]);
        Delay delay = new Delay(1_800_000_000_000L + random.nextInt(7_200_000), routes(), List.of(), List.of());
        frames.add(Frames.delayedMessage(delay, ExpiryTimes.NEVER, head, payload));
        operations.add(new StoreModel.Publish(message, List.of(ScheduleLane.of(delay.deliverAtMs())), ""));
    }

    private static long emptyMessage(long from) {
        long message = from << 20;
        while (StoreComparison.payloadBytes(message) != 0) {
            message++;
        }
        return message;
    }

    private void settle(List<Frame> frames, List<StoreModel.Operation> operations) {
        List<Settlement> settlements = new ArrayList<>();
        Settlement.Kind[] kinds = Settlement.Kind.values();
        for (Entry entry : choose(random.nextInt(4) == 0 ? 100 : 4)) {
            long laneId = chosen.laneId();
            settlements.add(new Settlement(laneId, entry, kinds[random.nextInt(kinds.length)]));
            operations.add(new StoreModel.Settle(laneId, entry.index()));
        }
        if (!settlements.isEmpty()) {
            frames.add(Frames.settle(settlements));
        }
    }

    private void redirect(List<Frame> frames, List<StoreModel.Operation> operations) {
        for (Entry entry : choose(1)) {
            List<Route> routes = routes();
            String overrides = "o" + nextNumber;
            long message = messageAt(chosen.laneId(), entry.index());
            frames.add(Frames.messageRef(routes, entry, ExpiryTimes.NEVER, overrides.getBytes(StandardCharsets.UTF_8)));
            operations.add(new StoreModel.Publish(message, routes, overrides));
            frames.add(Frames.settle(List.of(new Settlement(chosen.laneId(), entry, Settlement.Kind.MOVED))));
            operations.add(new StoreModel.Settle(chosen.laneId(), entry.index()));
        }
    }

    private long messageAt(long laneId, long index) {
        for (; modelled < history.size() && history.get(modelled).done(); modelled++) {
            if (history.get(modelled).applied) {
                history.get(modelled).operations.forEach(operation -> operation.applyTo(model));
            }
        }
        return model.slot(laneId, index).message;
    }

    private void fail(List<Frame> frames, List<StoreModel.Operation> operations) {
        List<Entry> entries = choose(3);
        if (!entries.isEmpty()) {
            long laneId = chosen.laneId();
            entries.forEach(entry -> settling.remove(laneId + "/" + entry.index()));
            frames.add(Frames.release(
                    Map.of(laneId, entries.stream().mapToLong(Entry::index).toArray())));
            entries.forEach(entry -> operations.add(new StoreModel.Fail(laneId, entry.index())));
        }
    }

    private void purge(List<Frame> frames, List<StoreModel.Operation> operations) {
        boolean drop = random.nextBoolean();
        int queue = 2 + random.nextInt(nextQueue);
        if (drop && queue >= nextQueue) {
            nextQueue++;
        }
        purges.put(queue, nextNumber);
        frames.add(Frames.purge(queue, drop));
        operations.add(new StoreModel.Purge(queue, drop));
    }

    private static void put(String key, String value, List<Frame> frames, List<StoreModel.Operation> operations) {
        byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
        frames.add(Frames.meta(List.of(new MetaChange(key, bytes))));
        operations.add(new StoreModel.Put(key, value));
    }

    private Lane chosen;

    /** Some unsettled entries of one lane that no group settles yet; taken from the cursor as dispatch would. */
    private List<Entry> choose(int max) {
        List<Lane> lanes = new ArrayList<>();
        sim.store().lanes().forEach(lanes::add);
        lanes.removeIf(lane -> purgeUnderWay((int) (lane.laneId() >> 8)));
        List<Entry> entries = new ArrayList<>();
        if (lanes.isEmpty()) {
            return entries;
        }
        chosen = lanes.get(random.nextInt(lanes.size()));
        boolean gaps = random.nextInt(4) == 0;
        for (long index = chosen.cursor().floor(); index < chosen.nextIndex() && entries.size() < max; index++) {
            boolean skipped = gaps && random.nextInt(3) > 0;
            if (!skipped && !chosen.cursor().settled(index) && settling.add(chosen.laneId() + "/" + index)) {
                Entry entry = sim.entry(chosen, index);
                reached.largeMessage |= entry.isLarge();
                entries.add(entry);
            }
        }
        return entries;
    }

    /** Until it has come, no other record may refer to what is in the queue: it would point at what has gone by then. */
    private boolean purgeUnderWay(int queue) {
        Long purge = purges.get(queue);
        return purge != null
                && (purge == nextNumber || history.stream().anyMatch(group -> group.number == purge && !group.done()));
    }
}
