package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.PacketReader;
import io.mainstem.transport.WriteGate;
import io.netty.util.concurrent.EventExecutor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When a client is read from: not while its session is made, the broker takes no publishes, it publishes faster than it
 * may, has asked for more subscriptions than are worked on at a time, or does not read itself. Keep alive belongs here, because nobody is silent who is not listened to.
 *
 * <p>Thread: the connection's event loop.
 */
final class Intake {
    private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

    private static final int FILTERS_UNDER_WAY_MAX = PacketReader.FILTERS_MAX;

    private final EventExecutor executor;
    private final WriteGate gate;
    private final KeepAlive keepAlive;
    private final Runnable onReadAgain;
    /** Null = the client may publish as fast as it likes. */
    private @Nullable PublishRate publishRate;

    private boolean heldBack;
    /** Filters of SUBSCRIBE and UNSUBSCRIBE that are not answered. */
    private int filtersUnderWay;

    private boolean filtersHeld;

    /**
     * Begins open.
     *
     * @param onReadAgain called when what came meanwhile is to be looked at
     * @param onSilence called once the client has said nothing for too long
     */
    Intake(EventExecutor executor, WriteGate gate, Runnable onReadAgain, Runnable onSilence) {
        this.executor = executor;
        this.gate = gate;
        this.onReadAgain = onReadAgain;
        this.keepAlive = new KeepAlive(executor, gate, onSilence);
    }

    /** Whole packets have come. */
    void onPackets() {
        keepAlive.onPackets();
    }

    /** So much has come; parts of a packet keep no connection open, unless they are many. */
    void onBytes(int count) {
        keepAlive.onBytes(count);
    }

    /** Nothing is read until it is clear how it goes on. */
    void settingUp() {
        gate.pause(WriteGate.Pause.SETTING_UP);
    }

    /** It goes on. */
    void setUp() {
        gate.resume(WriteGate.Pause.SETTING_UP);
    }

    /**
     * The client is connected.
     *
     * @param keepAliveSeconds 0 = it may be silent for ever
     * @param publishRateMax publishes a second, 0 = any number
     */
    void connected(int keepAliveSeconds, int publishRateMax) {
        keepAlive.start(keepAliveSeconds);
        if (publishRateMax > 0) {
            publishRate = new PublishRate(publishRateMax, executor, this::publishAgain);
        }
    }

    /** False while what was read has to wait. */
    boolean open() {
        return !filtersHeld && (publishRate == null || !publishRate.isWaiting());
    }

    /** A publish has come. */
    void published() {
        if (publishRate != null && publishRate.published()) {
            gate.pause(WriteGate.Pause.RATE_EXCEEDED);
        }
    }

    /** The client has not published for as long as it had to wait. */
    private void publishAgain() {
        gate.resume(WriteGate.Pause.RATE_EXCEEDED);
        onReadAgain.run();
    }

    /** So many filters are worked on: with too many, nothing more is taken until some are answered. */
    void filtersTaken(int filters) {
        filtersUnderWay += filters;
        if (filtersUnderWay > FILTERS_UNDER_WAY_MAX && !filtersHeld) {
            filtersHeld = true;
            gate.pause(WriteGate.Pause.WORK_UNDER_WAY);
        }
    }

    /** As many are answered. */
    void filtersAnswered(int filters) {
        filtersUnderWay -= filters;
        if (filtersHeld && filtersUnderWay <= FILTERS_UNDER_WAY_MAX) {
            // Not from here: what waits may be looked at already.
            executor.execute(this::takeFilters);
        }
    }

    private void takeFilters() {
        if (filtersHeld && filtersUnderWay <= FILTERS_UNDER_WAY_MAX) {
            filtersHeld = false;
            gate.resume(WriteGate.Pause.WORK_UNDER_WAY);
            onReadAgain.run();
        }
    }

    /** The broker takes no more publishes for now; false if that was known. */
    boolean holdBack(String peer, String reason) {
        if (heldBack) {
            return false;
        }
        heldBack = true;
        LOG.debug(
                "MS-0613 publisher held back peer={} reason=\"{}\" fix: see the reason; it goes on by itself",
                peer,
                reason);
        gate.pause(WriteGate.Pause.BROKER_BLOCKED);
        return true;
    }

    /** The broker takes them again. */
    void goOn() {
        heldBack = false;
        gate.resume(WriteGate.Pause.BROKER_BLOCKED);
    }

    void close() {
        filtersHeld = false;
        keepAlive.stop();
    }
}
