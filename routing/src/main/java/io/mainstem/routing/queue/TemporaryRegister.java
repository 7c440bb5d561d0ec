package io.mainstem.routing.queue;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Temporary nodes of all sessions of one virtual host. Thread: any. */
final class TemporaryRegister {
    /** By key: whose it is. */
    final Map<String, SessionTemporaryNodes> topics = new ConcurrentHashMap<>();
    /** Names of queues whose deletion is under way: for all the world they are gone. */
    final Set<String> endingQueues = ConcurrentHashMap.newKeySet();
}
