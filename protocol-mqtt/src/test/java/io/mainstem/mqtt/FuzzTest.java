package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever bytes come, the connection at most ends; a neighbour on the same broker notices nothing. */
final class FuzzTest {
    private static final long SEED = 20_260_601;
    private static final int ROUNDS = 400;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    void damagedPacketsOfAllTypesHarmNobodyElse(int version) throws IOException {
        Random random = new Random(SEED + version);
        List<byte[]> packets = packets(version);
        try (TestServer server = new TestServer(folder);
                RawMqtt neighbour = new RawMqtt(server.address(), version)) {
            neighbour.open("neighbour", true);
            neighbour.subscribed("neighbour", 1);
            for (int round = 0; round < ROUNDS; round++) {
                try (RawMqtt client = new RawMqtt(server.address(), version)) {
                    if (round % 4 != 0) {
                        client.open("opened", true);
                    }
                    for (int i = random.nextInt(4); i >= 0; i--) {
                        client.sendAnyway(damaged(packets.get(random.nextInt(packets.size())), random));
                    }
                }
                if (round % 10 == 0) {
                    checkNeighbour(neighbour, round + 1);
                }
            }
            checkNeighbour(neighbour, ROUNDS + 1);
            await().atMost(Duration.ofMinutes(1)).until(() -> server.connections() == 1);
        }
    }

    private static void checkNeighbour(RawMqtt neighbour, int id) throws IOException {
        neighbour.publish("neighbour", 1, id, "m" + id);
        neighbour.expectAnswer(RawMqtt.PUBACK);
        RawMqtt.Published got = neighbour.expectPublish();
        assertThat(got.payload()).isEqualTo("m" + id);
        neighbour.ack(RawMqtt.PUBACK, got.packetId());
    }

    /** Bits flipped, bytes cut, inserted or doubled; sometimes left as it is. */
    private static byte[] damaged(byte[] packet, Random random) {
        byte[] copy = packet.clone();
        switch (random.nextInt(6)) {
            case 0 -> copy[random.nextInt(copy.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> copy[random.nextInt(copy.length)] = (byte) random.nextInt(256);
            case 2 -> {
                return Arrays.copyOf(copy, random.nextInt(copy.length) + 1);
            }
            case 3 -> {
                byte[] longer = Arrays.copyOf(copy, copy.length + random.nextInt(40));
                random.nextBytes(longer);
                System.arraycopy(copy, 0, longer, 0, Math.min(copy.length, 2));
                return longer;
            }
            case 4 -> {
                for (int i = random.nextInt(5); i >= 0; i--) {
                    copy[random.nextInt(copy.length)] ^= (byte) (1 << random.nextInt(8));
                }
            }
            default -> {
                return copy;
            }
        }
        return copy;
    }

    /** One or more of each type, with all that they can carry. */
    private static List<byte[]> packets(int version) {
        Bytes none = new Bytes();
        Bytes rich = new Bytes()
                .u8(0x01, 1)
                .u8(0x02)
                .u32(10)
                .u8(0x03)
                .text("t/p")
                .u8(0x08)
                .text("r")
                .u8(0x09)
                .text("c")
                .u8(0x23, 0, 1)
                .user("k", "v");
        List<byte[]> packets = new ArrayList<>();
        packets.add(with(
                        new Bytes().text(version == 3 ? "MQIsdp" : "MQTT").u8(version, 0xC6, 0, 60),
                        version,
                        new Bytes().u8(0x21, 0, 9))
                .text("fuzz")
                .raw(version == 5 ? new byte[] {0} : new byte[0])
                .text("will")
                .text("gone")
                .text("user")
                .text("pass")
                .packet(0x10));
        packets.add(
                with(new Bytes().text("f/t"), version, rich).raw(bytes("hello")).packet(0x30));
        packets.add(with(new Bytes().text("f/t").u16(7), version, rich)
                .raw(bytes("hello"))
                .packet(0x33));
        packets.add(with(new Bytes().text("f/t").u16(8), version, none)
                .raw(bytes("hello"))
                .packet(0x34));
        for (int type = 4; type <= 7; type++) {
            packets.add(new Bytes().u16(8).packet(type << 4 | (type == 6 ? 2 : 0)));
            packets.add(new Bytes().u16(8).u8(0x10, 0).packet(type << 4 | (type == 6 ? 2 : 0)));
        }
        packets.add(with(new Bytes().u16(9), version, new Bytes().u8(0x0B, 5))
                .text("f/+")
                .u8(1)
                .text("$share/g/f/#")
                .u8(1)
                .text("$queues/none")
                .u8(0)
                .packet(0x82));
        packets.add(with(new Bytes().u16(10), version, none).text("f/+").packet(0xA2));
        packets.add(new byte[] {(byte) 0xC0, 0});
        packets.add(new Bytes().u8(0).properties(new Bytes().u8(0x11).u32(0)).packet(0xE0));
        packets.add(
                new Bytes().u8(0x18).properties(new Bytes().u8(0x15).text("M")).packet(0xF0));
        packets.add(new Bytes().u8(1, 0).packet(0x20));
        packets.add(new Bytes().u16(1).u8(0).packet(0x90));
        packets.add(new Bytes().u16(1).packet(0xB0));
        packets.add(new byte[] {(byte) 0xD0, 0});
        return packets;
    }

    private static Bytes with(Bytes head, int version, Bytes properties) {
        return version == 5 ? head.properties(properties) : head;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
