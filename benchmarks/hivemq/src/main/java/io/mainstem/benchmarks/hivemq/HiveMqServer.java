package io.mainstem.benchmarks.hivemq;

import com.hivemq.embedded.EmbeddedExtension;
import com.hivemq.embedded.EmbeddedHiveMQ;
import com.hivemq.extension.sdk.api.ExtensionMain;
import com.hivemq.extension.sdk.api.auth.SimpleAuthenticator;
import com.hivemq.extension.sdk.api.parameter.ExtensionStartInput;
import com.hivemq.extension.sdk.api.parameter.ExtensionStartOutput;
import com.hivemq.extension.sdk.api.parameter.ExtensionStopInput;
import com.hivemq.extension.sdk.api.parameter.ExtensionStopOutput;
import com.hivemq.extension.sdk.api.services.Services;
import java.nio.file.Path;

/** HiveMQ CE with its defaults, open to everybody. Argument: a folder with {@code conf/config.xml}. */
public final class HiveMqServer {
    private HiveMqServer() {}

    public static void main(String[] arguments) {
        Path home = Path.of(arguments[0]);
        EmbeddedHiveMQ server = EmbeddedHiveMQ.builder()
                .withConfigurationFolder(home.resolve("conf"))
                .withDataFolder(home.resolve("data"))
                .withExtensionsFolder(home.resolve("extensions"))
                .withEmbeddedExtension(EmbeddedExtension.builder()
                        .withId("allow-all")
                        .withName("allow-all")
                        .withVersion("1")
                        .withAuthor("bench")
                        .withExtensionMain(new AllowAll())
                        .build())
                .build();
        server.start().join();
        System.out.println("ready");
    }

    /** Without one, HiveMQ lets nobody in. */
    private static final class AllowAll implements ExtensionMain {
        @Override
        public void extensionStart(ExtensionStartInput input, ExtensionStartOutput output) {
            SimpleAuthenticator all = (who, answer) -> answer.authenticateSuccessfully();
            Services.securityRegistry().setAuthenticatorProvider(each -> all);
        }

        @Override
        public void extensionStop(ExtensionStopInput input, ExtensionStopOutput output) {
            // Nothing is held.
        }
    }
}
