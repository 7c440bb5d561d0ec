package io.mainstem.jms.amqp;

import io.mainstem.jms.options.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.jspecify.annotations.Nullable;

/** Reads {@code failover-server-list} of open (mapping 4.2). What is not as expected is left out. Thread: any. */
final class FailoverServers {
    private static final int PORT_MAX = 65_535;

    private FailoverServers() {}

    /** @param like the scheme and path of the others are those of this endpoint */
    static List<Endpoint> of(@Nullable Object property, Endpoint like) {
        List<Endpoint> servers = new ArrayList<>();
        if (property instanceof List<?> list) {
            for (Object entry : list) {
                Endpoint server = entry instanceof Map<?, ?> map ? server(map, like) : null;
                if (server != null) {
                    servers.add(server);
                }
            }
        }
        return List.copyOf(servers);
    }

    private static @Nullable Endpoint server(Map<?, ?> map, Endpoint like) {
        Object host = map.get(Symbol.valueOf("network-host"));
        Object port = map.get(Symbol.valueOf("port"));
        if (!(host instanceof String name) || name.isEmpty()) {
            return null;
        }
        int number =
                port instanceof Number given ? given.intValue() : like.scheme().defaultPort();
        return number < 1 || number > PORT_MAX ? null : new Endpoint(like.scheme(), name, number, like.path());
    }
}
