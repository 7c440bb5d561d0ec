package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topic aliases of the broker's own, over a socket. */
final class AliasTest {
    @TempDir
    Path folder;

    @Test
    @DisplayName("a client that takes 65,535 aliases is given 64: what the broker remembers of it is bounded")
    void aliasesAreBounded() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true, new Bytes().u8(0x22).u16(65_535));
            client.subscribed("t/+", 0);
            int aliased = 0;
            for (int i = 0; i < 70; i++) {
                client.publish("t/" + i, 0, 0, "m");
                aliased += client.expectPublish().properties().isEmpty() ? 0 : 1;
            }
            assertThat(aliased).isEqualTo(64);
            client.publish("t/69", 0, 0, "m");
            assertThat(client.expectPublish().topic()).isEqualTo("t/69");
        }
    }
}
