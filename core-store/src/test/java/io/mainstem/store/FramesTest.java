package io.mainstem.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.codec.MalformedException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Record bodies: what Frames writes, RecordBody reads, and nothing else is taken for a body. */
final class FramesTest {
    private static final List<Route> ROUTES = List.of(new Route(1, 0), new Route(70_000, 9));
    private static final ExpiryTimes EACH = ExpiryTimes.of(new long[] {0, 99});
    private static final ExpiryTimes EACH_OF_4 = ExpiryTimes.of(new long[] {0, 99, 5, 7});
    private static final byte[] HEAD = "head".getBytes(StandardCharsets.UTF_8);
    private static final byte[] PAYLOAD = "payload".getBytes(StandardCharsets.UTF_8);

    @Test
    void aMessageComesBackWithRoutesExpiryTagHeadAndPayload() {
        Frame frame = Frames.message(ROUTES, 1234, -5, HEAD, List.of(PAYLOAD));

        byte[] body = body(frame);
        RecordBody.Message read = (RecordBody.Message) RecordBody.decode(RecordType.MSG, body, 0);

        assertThat(read.routes()).isEqualTo(ROUTES);
        assertThat(read.expiry().at(0)).isEqualTo(1234);
        assertThat(read.tagHash()).isEqualTo(-5);
        assertThat(Arrays.copyOfRange(body, read.headFrom(), read.payloadFrom()))
                .isEqualTo(HEAD);
        assertThat(Arrays.copyOfRange(body, read.payloadFrom(), body.length)).isEqualTo(PAYLOAD);
    }

    @Test
    void pieceZeroOfAMessageIsEnoughToKnowItsRoutes() {
        Frame frame = Frames.message(ROUTES, 0, 0, HEAD, List.of(PAYLOAD, PAYLOAD));

        RecordBody.Message read = (RecordBody.Message)
                RecordBody.decode(RecordType.MSG, frame.body().get(0), 0);

        assertThat(read.routes()).isEqualTo(ROUTES);
        assertThat(read.payloadFrom()).isEqualTo(frame.body().get(0).length);
    }

    @Test
    @DisplayName("[L-8] a delayed message is routed to the lane of its hour and carries its own lanes")
    void aDelayedMessageIsRoutedToItsHourAndCarriesItsLanes() {
        Delay delay = new Delay(7 * ScheduleLane.HOUR_MS + 5, List.of(), ROUTES, List.of(new Route(8, 1)));

        byte[] body = body(Frames.delayedMessage(delay, ExpiryTimes.of(1234), HEAD, List.of(PAYLOAD)));
        RecordBody.Message read = (RecordBody.Message) RecordBody.decode(RecordType.MSG, body, 0);

        assertThat(read.routes()).containsExactly(ScheduleLane.ofHour(7));
        assertThat(read.delay()).isEqualTo(delay);
        assertThat(read.expiry().at(0)).isEqualTo(1234);
        assertThat(Arrays.copyOfRange(body, read.headFrom(), read.payloadFrom()))
                .isEqualTo(HEAD);
        assertThat(Arrays.copyOfRange(body, read.payloadFrom(), body.length)).isEqualTo(PAYLOAD);
    }

    @Test
    void lanesOfHoursAreNoneOfAnyQueueAndKnowTheirHour() {
        long last = ScheduleLane.of(ScheduleLane.DELIVER_AT_MS_MAX).laneId();

        assertThat(ScheduleLane.is(last)).isTrue();
        assertThat(ScheduleLane.hour(last)).isEqualTo(ScheduleLane.DELIVER_AT_MS_MAX / ScheduleLane.HOUR_MS);
        assertThat(ScheduleLane.is(ScheduleLane.ofHour(0).laneId())).isTrue();
        assertThat(ScheduleLane.is(new Route(ScheduleLane.QUEUE_ID_MIN - 1, 9).laneId()))
                .isFalse();
    }

    @Test
    void aReferenceComesBackWithItsTargetAndOverrides() {
        Entry target = new Entry(3, 1 << 20, 500, Entry.FLAG_REF | Entry.FLAG_LARGE | 7 << 4, 2, 999, 0);

        byte[] body = body(Frames.messageRef(ROUTES, target, ExpiryTimes.of(77), HEAD));
        RecordBody.MessageRef read = (RecordBody.MessageRef) RecordBody.decode(RecordType.MSG_REF, body, 0);

        assertThat(read.targetLsn()).isEqualTo(1 << 20);
        assertThat(read.targetSize()).isEqualTo(500);
        assertThat(read.targetFlags()).isEqualTo(Entry.FLAG_LARGE | 7 << 4);
        assertThat(read.expiry().at(0)).isEqualTo(77);
        assertThat(Arrays.copyOfRange(body, read.overridesFrom(), body.length)).isEqualTo(HEAD);
    }

    @Test
    void settlementsAreGroupedByLaneAndKindAndJoinedToRanges() {
        List<Settlement> settlements = new ArrayList<>();
        for (long index : new long[] {7, 5, 6, 9}) {
            settlements.add(new Settlement(0x100, entry(index, 800 * index), Settlement.Kind.ACK));
        }
        settlements.add(new Settlement(0x100, entry(8, 6400), Settlement.Kind.EXPIRED));
        settlements.add(new Settlement(0x203, entry(0, 64), Settlement.Kind.ACK));

        RecordBody.Settle read =
                (RecordBody.Settle) RecordBody.decode(RecordType.SETTLE, body(Frames.settle(settlements)), 0);

        assertThat(read.lanes()).extracting(RecordBody.SettledRanges::laneId).containsExactly(0x100L, 0x100L, 0x203L);
        RecordBody.SettledRanges first = read.lanes().get(0);
        assertThat(first.first()).containsExactly(5, 9);
        assertThat(first.count()).containsExactly(3, 1);
        assertThat(first.lsnCheck()).containsExactly(500, 900);
        assertThat(first.units().unit()).containsExactly(0);
        assertThat(first.units().refs()).containsExactly(4);
        assertThat(first.units().bytes()).containsExactly(400);
    }

    @Test
    void aSingleAcknowledgementTakesAtMost24Bytes() {
        Entry entry = entry(1_000_000, 5L << 30);

        Frame frame = Frames.settle(List.of(new Settlement(300 << 8, entry, Settlement.Kind.ACK)));

        assertThat(frame.bodyBytes()).isLessThanOrEqualTo(24);
    }

    @Test
    void aLargeReferenceHoldsAllUnitsFromItsFirstPartAndThatOfTheReference() {
        long unit = Entry.UNIT_BYTES;
        int flags = Entry.FLAG_LARGE | Entry.FLAG_REF | 1 << Entry.PART_STEPS_SHIFT;
        Entry entry = new Entry(0, 20 * unit, 100, flags, 1, 50 * unit, 0);
        Settlement settlement = new Settlement(0x100, entry, Settlement.Kind.MOVED);

        RecordBody.Settle read =
                (RecordBody.Settle) RecordBody.decode(RecordType.SETTLE, body(Frames.settle(List.of(settlement))), 0);

        long[] units = read.lanes().get(0).units().unit();
        assertThat(units).hasSize(18).startsWith(4, 5).endsWith(19, 20, 50);
    }

    @Test
    void anEntrySettledTwiceInOneRecordIsRefused() {
        Settlement once = new Settlement(0x100, entry(1, 64), Settlement.Kind.ACK);

        assertThatThrownBy(() -> Frames.settle(List.of(once, once)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("entry 1 twice");
    }

    @Test
    void releasesPurgesAndMetaChangesComeBack() {
        RecordBody.Release release = (RecordBody.Release) RecordBody.decode(
                RecordType.RELEASE, body(Frames.release(Map.of(0x100L, new long[] {9, 3, 4}))), 0);
        RecordBody.Purge purge =
                (RecordBody.Purge) RecordBody.decode(RecordType.PURGE, body(Frames.purge(12, true)), 0);
        RecordBody.Meta meta = (RecordBody.Meta) RecordBody.decode(
                RecordType.META,
                body(Frames.meta(List.of(
                        new MetaChange("queue/ü", new byte[0]), new MetaChange("b", null), new MetaChange("c", HEAD)))),
                0);

        assertThat(release.lanes().get(0).indexes()).containsExactly(3, 4, 9);
        assertThat(purge).isEqualTo(new RecordBody.Purge(12, true));
        assertThat(meta.changes()).extracting(MetaChange::key).containsExactly("queue/ü", "b", "c");
        assertThat(meta.changes()).extracting(MetaChange::value).containsExactly(new byte[0], null, HEAD);
    }

    @Test
    void aBodyCutAnywhereOrWithAnyBitFlippedIsRefusedOrReadNeverMore() {
        for (Frame frame : samples()) {
            byte[] body = body(frame);
            for (int length = 0; length < body.length; length++) {
                decodeOrRefuse(frame.type(), Arrays.copyOf(body, length));
            }
            for (int bit = 0; bit < body.length * 8; bit++) {
                byte[] flipped = body.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                decodeOrRefuse(frame.type(), flipped);
            }
        }
    }

    @Test
    void bytesBehindABodyOfFixedShapeAreRefused() {
        for (Frame frame : samples()) {
            if (frame.type() != RecordType.MSG && frame.type() != RecordType.MSG_REF) {
                byte[] longer = Arrays.copyOf(body(frame), (int) frame.bodyBytes() + 1);
                assertThatThrownBy(() -> RecordBody.decode(frame.type(), longer, 0))
                        .isInstanceOf(MalformedException.class);
            }
        }
    }

    @Test
    void aBodyOfALaterVersionIsRefusedByNumber() {
        for (Frame frame : samples()) {
            byte[] later = body(frame);
            later[0] = 2;
            assertThatThrownBy(() -> RecordBody.decode(frame.type(), later, 0))
                    .isInstanceOf(MalformedException.class)
                    .hasMessageContaining("body version 2");
        }
    }

    @Test
    void countsThatTheBodyCannotHoldCostNoMemory() {
        byte[] hugeCount = {1, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 7};
        for (RecordType type : List.of(RecordType.SETTLE, RecordType.RELEASE, RecordType.META, RecordType.DEDUP)) {
            assertThatThrownBy(() -> RecordBody.decode(type, hugeCount, 0)).isInstanceOf(MalformedException.class);
        }
    }

    @Test
    @DisplayName("[T-4] a message may expire in each of its lanes at another time")
    void expiryOfEachLaneComesBack() {
        byte[] message = body(Frames.message(ROUTES, EACH, 0, HEAD, List.of(PAYLOAD)));
        byte[] ref = body(Frames.messageRef(ROUTES, entry(1, 64), EACH, HEAD));

        assertThat(((RecordBody.Message) RecordBody.decode(RecordType.MSG, message, 0)).expiry())
                .isEqualTo(EACH);
        assertThat(((RecordBody.MessageRef) RecordBody.decode(RecordType.MSG_REF, ref, 0)).expiry())
                .isEqualTo(EACH);
        assertThat(ExpiryTimes.of(new long[] {5, 5})).isEqualTo(ExpiryTimes.of(5));
    }

    @Test
    @DisplayName("[L-7] what the router notes about a lane comes back, and takes no byte more")
    void stampsComeBack() {
        List<Route> stamped = List.of(new Route(1, 0, 1), new Route(2, 0, 3), new Route(3, 9), new Route(4, 0));
        List<Route> plain = List.of(new Route(1, 0), new Route(2, 0), new Route(3, 9), new Route(4, 0));
        byte[] message = body(Frames.message(stamped, 0, 0, HEAD, List.of(PAYLOAD)));
        byte[] ref = body(Frames.messageRef(stamped, entry(1, 64).stamped(2), EACH_OF_4, HEAD));

        assertThat(((RecordBody.Message) RecordBody.decode(RecordType.MSG, message, 0)).routes())
                .isEqualTo(stamped);
        assertThat(message).hasSameSizeAs(body(Frames.message(plain, 0, 0, HEAD, List.of(PAYLOAD))));
        RecordBody.MessageRef read = (RecordBody.MessageRef) RecordBody.decode(RecordType.MSG_REF, ref, 0);
        assertThat(read.routes()).isEqualTo(stamped);
        // A reference is not bound by what holds for the entry it was made of.
        assertThat(read.targetFlags()).isZero();
    }

    @Test
    void aStampChangesNothingElseOfAnEntry() {
        Entry large = new Entry(3, 1 << 20, 500, Entry.FLAG_REF | Entry.FLAG_LARGE | 7 << 4, 2, 999, 5);

        assertThat(large.stamp()).isZero();
        assertThat(large.stamped(3).stamp()).isEqualTo(3);
        assertThat(large.stamped(3).firstUnit()).isEqualTo(large.firstUnit());
        assertThat(large.stamped(3).stamped(0)).isEqualTo(large);
        assertThatThrownBy(() -> new Route(1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Route(1, 0, 4)).isInstanceOf(IllegalArgumentException.class);
    }

    private static List<Frame> samples() {
        Entry target = new Entry(3, 1L << 40, 500, 0, 2, 0, 0);
        return List.of(
                Frames.message(ROUTES, 1234, 99, HEAD, List.of(PAYLOAD)),
                Frames.delayedMessage(new Delay(3_600_000, ROUTES, ROUTES, List.of()), EACH, HEAD, List.of(PAYLOAD)),
                Frames.messageRef(ROUTES, target, ExpiryTimes.of(5678), HEAD),
                Frames.settle(List.of(
                        new Settlement(0x100, entry(1, 64), Settlement.Kind.ACK),
                        new Settlement(0x100, entry(2, 1 << 20), Settlement.Kind.ACK),
                        new Settlement(0x201, target, Settlement.Kind.REJECT))),
                Frames.mark(List.of(new MetaMark("dedup/a", 7, 1234), new MetaMark("dedup/b", 0, 1))),
                Frames.release(Map.of(0x100L, new long[] {1, 2})),
                Frames.purge(5, true),
                Frames.meta(List.of(new MetaChange("k", HEAD), new MetaChange("d", null))));
    }

    private static void decodeOrRefuse(RecordType type, byte[] body) {
        try {
            assertThat(RecordBody.decode(type, body, 0)).isNotNull();
        } catch (MalformedException e) {
            assertThat(e).hasMessageContaining("at byte");
        }
    }

    private static Entry entry(long index, long lsn) {
        return new Entry(index, lsn, 100, 0, 1, 0, 0);
    }

    private static byte[] body(Frame frame) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        frame.body().forEach(out::writeBytes);
        return out.toByteArray();
    }
}
