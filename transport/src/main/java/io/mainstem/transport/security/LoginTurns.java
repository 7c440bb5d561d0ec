package io.mainstem.transport.security;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whose login is checked when. From one address so many are under way at a time that all of them could fail without harm; the
 * others wait for one of these to end, in order. So right passwords come in however many come at once, and guesses in parallel
 * are no more than guesses one after the other. Nothing is told before a turn has come, neither yes nor no: also not from what is
 * remembered.
 *
 * <p>Thread: any.
 */
final class LoginTurns {
    /**
     * A client that says nothing for so long in the middle of its login leaves its turn to others. It may still end its login;
     * if that fails, it counts. So this may be short, and clients that die in the middle keep nobody of their address out.
     */
    static final long TURN_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

    private final LoginThrottle throttle;
    private final PasswordChecks checks;
    private final long turnNanosMax;
    /** Addresses with a login under way or waiting. */
    private final Map<ByteBuffer, Place> places = new HashMap<>();

    private int waiting;

    /** Logins of one address. Guarded by the turns. */
    private static final class Place {
        private final ArrayDeque<Consumer<@Nullable Turn>> waiting = new ArrayDeque<>();
        private int underWay;
        private boolean asleep;
    }

    /** One login that may be checked now. Ends once, whatever is said first. */
    final class Turn {
        private final @Nullable InetAddress address;
        private final AtomicBoolean ended = new AtomicBoolean();
        private final @Nullable Future<?> giveUp;

        private Turn(@Nullable InetAddress address) {
            this.address = address;
            this.giveUp = address == null ? null : checks.later(this::over, turnNanosMax);
        }

        /** The login was right, or was given up. */
        void over() {
            end(false);
        }

        /** The login was wrong. */
        void failed() {
            end(true);
        }

        private void end(boolean failed) {
            if (address == null || giveUp == null) {
                return;
            }
            giveUp.cancel(false);
            if (!ended.getAndSet(true)) {
                LoginTurns.this.ended(address, failed);
            } else if (failed) {
                // It was given up meanwhile; a guess that took its time is a guess.
                throttle.failed(address);
            }
        }
    }

    LoginTurns(LoginThrottle throttle, PasswordChecks checks, long turnNanosMax) {
        this.throttle = throttle;
        this.checks = checks;
        this.turnNanosMax = turnNanosMax;
    }

    /** What came of asking for a turn. */
    enum Answer {
        /** The turn comes, now or later. */
        TAKEN,
        /** The address has failed too often. */
        THROTTLED,
        /** Too many wait. */
        CROWDED
    }

    /**
     * Asks for a turn.
     *
     * @param address null = not to be told from others; never waits
     * @param begin told the turn, before this returns or later on another thread; null if it was refused meanwhile because
     *     others of the address have failed
     */
    Answer take(@Nullable InetAddress address, Consumer<@Nullable Turn> begin) {
        if (address == null) {
            begin.accept(new Turn(null));
            return Answer.TAKEN;
        }
        synchronized (this) {
            if (throttle.waitNs(address) < 0) {
                return Answer.THROTTLED;
            }
            Place place = places.computeIfAbsent(LoginThrottle.key(address), first -> new Place());
            if (place.underWay == 0
                    && place.waiting.isEmpty()
                    && !isFree(address, place)
                    && waiting >= PasswordChecks.WAITING_MAX) {
                places.remove(LoginThrottle.key(address));
                return Answer.CROWDED;
            }
            if (!place.waiting.isEmpty() || !isFree(address, place)) {
                return enqueue(address, place, begin);
            }
            place.underWay++;
        }
        begin(address, begin);
        return Answer.TAKEN;
    }

    private boolean isFree(InetAddress address, Place place) {
        boolean one = place.underWay == 0 && throttle.waitNs(address) == 0;
        return one || throttle.failures(address) + place.underWay < throttle.burst();
    }

    private Answer enqueue(InetAddress address, Place place, Consumer<@Nullable Turn> begin) {
        if (waiting >= PasswordChecks.WAITING_MAX) {
            return Answer.CROWDED;
        }
        waiting++;
        place.waiting.add(begin);
        sleep(address, place);
        return Answer.TAKEN;
    }

    /** Where nobody is under way, time has to pass before the next one; else the end of one wakes it. */
    private void sleep(InetAddress address, Place place) {
        if (place.underWay == 0 && !place.asleep && !place.waiting.isEmpty()) {
            place.asleep = true;
            var unused = checks.later(() -> woken(address, place), Math.max(0, throttle.waitNs(address)));
        }
    }

    private void woken(InetAddress address, Place place) {
        synchronized (this) {
            place.asleep = false;
        }
        next(address, place);
    }

    private void begin(InetAddress address, Consumer<@Nullable Turn> begin) {
        begin.accept(new Turn(address));
    }

    private void ended(InetAddress address, boolean failed) {
        Place place;
        synchronized (this) {
            if (failed) {
                throttle.failed(address);
            }
            place = places.get(LoginThrottle.key(address));
            if (place == null) {
                return;
            }
            place.underWay--;
        }
        next(address, place);
    }

    /** Begins those whose turn it is, refuses those who would wait too long. */
    private void next(InetAddress address, Place place) {
        while (true) {
            Consumer<@Nullable Turn> begin;
            boolean refused;
            synchronized (this) {
                refused = throttle.waitNs(address) < 0;
                if (place.waiting.isEmpty() || !(refused || isFree(address, place))) {
                    sleep(address, place);
                    if (place.underWay == 0 && place.waiting.isEmpty()) {
                        places.remove(LoginThrottle.key(address), place);
                    }
                    return;
                }
                begin = place.waiting.remove();
                waiting--;
                place.underWay += refused ? 0 : 1;
            }
            if (refused) {
                begin.accept(null);
            } else {
                begin(address, begin);
            }
        }
    }
}
