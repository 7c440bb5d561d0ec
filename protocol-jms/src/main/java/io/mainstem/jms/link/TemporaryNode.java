package io.mainstem.jms.link;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A temporary queue or topic at the broker. Thread: any. */
public interface TemporaryNode {
    String address();

    CompletionStage<@Nullable Void> delete();
}
