package io.mainstem.routing.topology;

import io.mainstem.store.MetaChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The virtual hosts of a shard, each with its {@link Topology}; queue ids are unique over all of them. "/" always
 * exists. Thread: shard, except {@link #topology}.
 */
public final class VirtualHosts {
    /** The default virtual host. */
    public static final String DEFAULT = "/";
    /** Common beginning of {@link #published(String, String) what users have published already}. */
    public static final String PUBLISHED = "dedup/";

    private final QueueIds ids = new QueueIds();
    private final TopologyLimits limits;
    private final Map<String, Topology> topologies = new ConcurrentHashMap<>();

    /** Only the default virtual host, with nothing declared. */
    public VirtualHosts(TopologyLimits limits) {
        this.limits = limits;
        add(DEFAULT);
    }

    /**
     * What the log knows.
     *
     * @param image the metadata image of the store
     * @param limits of each virtual host
     * @throws io.mainstem.routing.message.MalformedMessageException if a value in it is damaged
     */
    public static VirtualHosts restore(SortedMap<String, byte[]> image, TopologyLimits limits) {
        VirtualHosts hosts = new VirtualHosts(limits);
        hosts.ids.restore(image.get(MetaKeys.QUEUE_IDS));
        for (String key : image.subMap(MetaKeys.VHOST, "vhost0").keySet()) {
            hosts.add(MetaKeys.decode(key.substring(MetaKeys.VHOST.length())));
        }
        hosts.topologies.values().forEach(topology -> topology.restore(image));
        return hosts;
    }

    /** The topology of a virtual host, or null if there is none of that name; the same object always. Thread: any. */
    public @Nullable Topology topology(String virtualHost) {
        return topologies.get(virtualHost);
    }

    /** All of them; order unspecified. */
    public List<Topology> all() {
        return new ArrayList<>(topologies.values());
    }

    /** The record that makes a virtual host last; {@link #add} it when that is durable. */
    public static MetaChange record(String virtualHost) {
        return new MetaChange(MetaKeys.virtualHost(virtualHost), new byte[] {1});
    }

    /** Common beginning of what heads keep for a virtual host. */
    public static String headRecords(String virtualHost) {
        return new MetaKeys(virtualHost).headRecords();
    }

    /** Common beginning of the keys of a virtual host's retained messages. */
    public static String retained(String virtualHost) {
        return new MetaKeys(virtualHost).retained();
    }

    /** Common beginning of the keys of a virtual host's policies. */
    public static String policies(String virtualHost) {
        return new MetaKeys(virtualHost).policies();
    }

    /** Key of the policy of that name. */
    public static String policy(String virtualHost, String name) {
        return policies(virtualHost) + MetaKeys.encode(name);
    }

    /** Key of the message that is retained for a routing key. */
    public static String retained(String virtualHost, String routingKey) {
        return new MetaKeys(virtualHost).retained(routingKey);
    }

    /** Common beginning of the keys of what a user has published already; null = anonymous. */
    public static String published(String virtualHost, @Nullable String user) {
        return PUBLISHED + MetaKeys.encode(virtualHost) + "/" + (user == null ? "" : MetaKeys.encode(user)) + "/";
    }

    /** A text as a part of a key, without a slash; its digest where that would be longer than {@code max}. */
    public static String keyPart(String text, int max) {
        return MetaKeys.encode(text, max);
    }

    /** Makes the virtual host usable. Idempotent. */
    public Topology add(String virtualHost) {
        return topologies.computeIfAbsent(virtualHost, name -> new Topology(name, ids, limits));
    }

    /** An id for lanes that belong to no queue. The group that uses it has to have the {@link #reservation}, too. */
    public int nextQueueId() {
        return ids.next();
    }

    /** What goes to the log with the ids given out last, or null; to be told by {@link #reserved} that it is there. */
    public @Nullable MetaChange reservation() {
        return ids.reservation();
    }

    /** A reservation is in the log. */
    public void reserved(MetaChange reservation) {
        ids.logged(reservation);
    }
}
