package io.mainstem.amqp.v1.management;

import io.mainstem.routing.Broker;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ErrorKind;
import io.mainstem.transport.Connections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.qpid.proton.amqp.Binary;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests about one virtual host [mapping 5.3]. What it may do is what the session may do: exclusive queues
 * belong to the connection that asks.
 *
 * <p>Thread: the connection's event loop; the caller flushes the session after {@link #handle}.
 */
public final class ManagementNode {
    private static final Logger LOG = LoggerFactory.getLogger(ManagementNode.class);

    private final ClientInfo client;
    private final QueueResource queues;
    private final ExchangeResource exchanges;
    private final BindingResource bindings;
    private final ConnectionResource connections;
    private final DelayedResource delayed;
    private final PolicyResource policies;
    private final VirtualHostResource virtualHosts;

    /**
     * @param open all connections of the broker
     * @param client who asks, in the session's virtual host
     * @param node id of this broker, told as leader and replica of every queue
     * @param flushSoon to be called after calls of the broker that no frame has led to
     * @param all the broker, over all virtual hosts
     */
    public ManagementNode(
            BrokerSession broker,
            Connections open,
            ClientInfo client,
            String node,
            Runnable flushSoon,
            Broker all,
            Executor eventLoop) {
        this.client = client;
        String virtualHost = client.virtualHost();
        this.queues = new QueueResource(broker, virtualHost, node, flushSoon);
        this.exchanges = new ExchangeResource(broker, virtualHost);
        this.bindings = new BindingResource(broker);
        this.policies = new PolicyResource(broker, virtualHost);
        this.virtualHosts = new VirtualHostResource(all, broker, eventLoop);
        this.delayed = new DelayedResource(broker);
        this.connections = new ConnectionResource(broker, open);
    }

    /** The answer, which never fails: what goes wrong has a status, too. */
    public CompletionStage<Response> handle(Request request) {
        CompletionStage<Response> response;
        try {
            response = route(request, Target.parse(request.target()));
        } catch (RuntimeException refused) {
            response = CompletableFuture.failedFuture(refused);
        }
        return response.whenComplete((done, failure) -> {
                    if (failure == null) {
                        logChange(request, done);
                    }
                })
                .exceptionally(failure -> refusal(request, Absence.cause(failure)));
    }

    /** What an operator or a program has changed, a line each; declaring what is there already changes nothing. */
    private void logChange(Request request, Response done) {
        boolean declaredAgain = request.method().equals("PUT") && done.status() == Response.OK;
        if (!request.method().equals("GET") && !declaredAgain) {
            LOG.info(
                    "changed method={} path=\"{}\" vhost=\"{}\" user=\"{}\" peer={}",
                    request.method(),
                    request.target(),
                    client.virtualHost(),
                    client.user() == null ? "" : client.user(),
                    client.peer());
        }
    }

    private CompletionStage<Response> route(Request request, Target target) {
        return switch (target.collection()) {
            case "queues" -> queue(request, target);
            case "exchanges" -> exchange(request, target);
            case "bindings" -> binding(request, target);
            case "policies" -> policy(request, target);
            case "delayed" -> delayed(request, target);
            case "connections" -> connection(request, target);
            case "vhosts" -> virtualHost(request, target);
            case "auth" -> token(request, target);
            default -> throw noSuchPath(request);
        };
    }

    private CompletionStage<Response> queue(Request request, Target target) {
        if (target.size() == 3 && target.segments().get(2).equals("messages")) {
            if (request.method().equals("DELETE")) {
                return queues.purge(target.name());
            }
            throw notAllowed(request, "DELETE");
        }
        return switch (target.size()) {
            case 1 -> {
                expect(request, "GET");
                yield queues.list(Page.of(target));
            }
            case 2 ->
                switch (request.method()) {
                    case "PUT" -> queues.declare(target.name(), request.body());
                    case "GET" -> queues.show(target.name());
                    case "DELETE" -> queues.delete(target.name(), flag(target, "if-unused"), flag(target, "if-empty"));
                    default -> throw notAllowed(request, "PUT, GET, DELETE");
                };
            default -> throw noSuchPath(request);
        };
    }

    private CompletionStage<Response> exchange(Request request, Target target) {
        return switch (target.size()) {
            case 1 -> {
                expect(request, "GET");
                yield exchanges.list(Page.of(target));
            }
            case 2 ->
                switch (request.method()) {
                    case "PUT" -> exchanges.declare(target.name(), request.body());
                    case "GET" -> exchanges.show(target.name());
                    case "DELETE" -> exchanges.delete(target.name(), flag(target, "if-unused"));
                    default -> throw notAllowed(request, "PUT, GET, DELETE");
                };
            default -> throw noSuchPath(request);
        };
    }

    private CompletionStage<Response> binding(Request request, Target target) {
        return switch (target.size()) {
            case 1 ->
                switch (request.method()) {
                    case "POST" -> bindings.bind(request.body());
                    case "GET" -> bindings.list(target);
                    default -> throw notAllowed(request, "POST, GET");
                };
            case 2 -> {
                expect(request, "DELETE");
                yield bindings.unbind(target.segments().get(1));
            }
            default -> throw noSuchPath(request);
        };
    }

    private CompletionStage<Response> policy(Request request, Target target) {
        return switch (target.size()) {
            case 1 -> {
                expect(request, "GET");
                yield policies.list(Page.of(target));
            }
            case 2 ->
                switch (request.method()) {
                    case "PUT" -> policies.set(target.name(), request.body());
                    case "GET" -> policies.show(target.name());
                    case "DELETE" -> policies.delete(target.name());
                    default -> throw notAllowed(request, "PUT, GET, DELETE");
                };
            default -> throw noSuchPath(request);
        };
    }

    private CompletionStage<Response> delayed(Request request, Target target) {
        return switch (target.size()) {
            case 1 -> {
                expect(request, "GET");
                yield delayed.list(Page.of(target));
            }
            case 2 -> {
                expect(request, "DELETE");
                yield delayed.cancel(target.name());
            }
            default -> throw noSuchPath(request);
        };
    }

    private CompletionStage<Response> connection(Request request, Target target) {
        return switch (target.size()) {
            case 1 -> {
                expect(request, "GET");
                yield connections.list(Page.of(target));
            }
            case 2 ->
                switch (request.method()) {
                    case "GET" -> connections.show(target.name());
                    case "DELETE" -> connections.close(target.name());
                    default -> throw notAllowed(request, "GET, DELETE");
                };
            default -> throw noSuchPath(request);
        };
    }

    private CompletionStage<Response> virtualHost(Request request, Target target) {
        return switch (target.size()) {
            case 1 -> {
                expect(request, "GET");
                yield virtualHosts.list(Page.of(target));
            }
            case 2 -> {
                expect(request, "PUT");
                yield virtualHosts.make(target.name());
            }
            default -> throw noSuchPath(request);
        };
    }

    /** Tokens renew a login by OAuth 2, which is not how anybody can have logged in here. */
    private static CompletionStage<Response> token(Request request, Target target) {
        if (target.size() != 2 || !target.segments().get(1).equals("tokens")) {
            throw noSuchPath(request);
        }
        expect(request, "PUT");
        if (!(request.body() instanceof Binary)) {
            throw RequestException.bad("body (expected: a token, as binary)");
        }
        throw RequestException.bad(
                "this connection did not log in with a token, and none can be renewed fix: log in with user and"
                        + " password");
    }

    private static boolean flag(Target target, String name) {
        String value = target.parameter(name);
        if (value == null || value.equals("false")) {
            return false;
        }
        if (value.equals("true")) {
            return true;
        }
        throw RequestException.bad("parameter " + name + "=" + value + " (expected: true or false)");
    }

    private static void expect(Request request, String method) {
        if (!request.method().equals(method)) {
            throw notAllowed(request, method);
        }
    }

    private static RequestException notAllowed(Request request, String allowed) {
        return new RequestException(
                Response.METHOD_NOT_ALLOWED,
                "MS-0540 method '" + request.method() + "' on '" + request.target() + "' (expected: " + allowed + ")");
    }

    private static RequestException noSuchPath(Request request) {
        return new RequestException(Response.NOT_FOUND, "MS-0541 no path '" + request.target() + "' in /management");
    }

    private static Response refusal(Request request, @Nullable Throwable failure) {
        if (failure instanceof RequestException refused) {
            return refused.toResponse();
        }
        if (failure instanceof BrokerException refused) {
            return new Response(status(refused.kind()), refused.getMessage());
        }
        LOG.error("MS-0542 internal error method={} path={}", request.method(), request.target(), failure);
        return new Response(Response.INTERNAL_ERROR, "MS-0542 internal error: " + failure);
    }

    private static int status(ErrorKind kind) {
        return switch (kind) {
            case NOT_FOUND, DELETED -> Response.NOT_FOUND;
            case ALREADY_EXISTS, PRECONDITION_FAILED, ROLLED_BACK -> Response.CONFLICT;
            case INVALID_ARGUMENT, NOT_IMPLEMENTED, LOCKED -> Response.BAD_REQUEST;
            case ACCESS_REFUSED, RESOURCE_LIMIT -> Response.FORBIDDEN;
            case UNAVAILABLE -> Response.UNAVAILABLE;
        };
    }
}
