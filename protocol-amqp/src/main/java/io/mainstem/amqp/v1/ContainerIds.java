package io.mainstem.amqp.v1;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Container-ids of connections that asked to be the only one with theirs. Thread: any. */
final class ContainerIds {
    private final Set<String> held = ConcurrentHashMap.newKeySet();

    /** True if nobody held it; release it with the connection. */
    boolean take(String virtualHost, String containerId) {
        return held.add(key(virtualHost, containerId));
    }

    void release(String virtualHost, String containerId) {
        held.remove(key(virtualHost, containerId));
    }

    private static String key(String virtualHost, String containerId) {
        return virtualHost + '\0' + containerId;
    }
}
