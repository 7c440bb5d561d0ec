package io.mainstem.launcher.lifecycle;

import io.mainstem.launcher.config.SecurityConfig;
import io.mainstem.launcher.security.FileWatch;
import io.mainstem.launcher.security.LiveUsers;
import io.mainstem.launcher.security.UsersFile;
import io.mainstem.launcher.security.UsersFileException;
import io.mainstem.launcher.security.UsersMarker;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.transport.Connections;
import io.mainstem.transport.security.Authenticator;
import io.mainstem.transport.security.LoginPolicy;
import io.mainstem.transport.security.LoginThrottle;
import io.mainstem.transport.security.PasswordChecks;
import io.mainstem.transport.security.UserAuthenticator;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who may come in, for all listeners of one broker. Thread: any. */
final class BrokerAccess implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerAccess.class);
    private static final int LOGIN_WAIT_MAX_MS = 8_000;

    private final FileWatch watch = new FileWatch();
    private final PasswordChecks checks = new PasswordChecks();
    private final LiveUsers users;
    private final LoginPolicy logins;
    private final Authenticator authenticator;

    /** @throws UsersFileException if the users file cannot be understood */
    private BrokerAccess(SecurityConfig config, Path data) {
        this.users = new LiveUsers(
                new UsersFile(config.usersFile()), new UsersMarker(data.resolve(UsersMarker.NAME)), watch);
        this.logins = config.logins();
        this.authenticator = new UserAuthenticator(
                users::users,
                logins,
                new LoginThrottle(
                        config.failedLoginsBurst(),
                        config.failedLoginIntervalMs(),
                        LOGIN_WAIT_MAX_MS,
                        System::nanoTime),
                checks,
                new SecureRandom());
    }

    /** @throws StartFailure if the users file cannot be understood, or is lost */
    static BrokerAccess open(SecurityConfig config, Path data) {
        try {
            return new BrokerAccess(config, data);
        } catch (UsersFileException e) {
            throw new StartFailure(ExitCode.REFUSED, e);
        }
    }

    Authenticator authenticator() {
        return authenticator;
    }

    /** What users may do, now. */
    AccessPolicy policy() {
        return users.policy();
    }

    /** From now on, who would not be let in any more or may do other things than before loses these connections. */
    void revokeIn(Connections connections) {
        users.onRevoked(revoked -> {
            int ended = connections.revoke(peer -> {
                String why = revoked.reason(peer.user());
                return why == null ? null : "MS-0122 " + why + " fix: connect again, or ask why";
            });
            LOG.info("connections of changed users ended users={} count={}", revoked.shown(), ended);
        });
    }

    /** True if peers have to say who they are. */
    boolean hasUsers() {
        return !users.users().isEmpty();
    }

    /** True if peers on other machines have to say who they are, or the operator wants everybody in. */
    boolean mayListenBeyondLoopback() {
        return !users.users().isEmpty() || logins.anonymous() == LoginPolicy.Anonymous.EVERYBODY;
    }

    /**
     * Who gets in at an address, for people.
     *
     * @param mqtt its clients know passwords, and SCRAM since version 5
     */
    String describe(InetAddress bound, boolean mqtt) {
        int count = users.users().byName().size();
        boolean noUsers = count == 0;
        boolean loopback = bound.isLoopbackAddress();
        String reach = loopback ? "this machine only" : "other machines too";
        if (noUsers && logins.anonymous() == LoginPolicy.Anonymous.AUTO) {
            return reach + ", any name, no password: nobody was added with 'mainstem user'";
        }
        String known = noUsers
                ? "no users"
                : count
                        + (count == 1 ? " user" : " users")
                        + (mqtt
                                ? " by password where it is safe, with MQTT 5 also by SCRAM"
                                : " by SCRAM, or by password where it is safe");
        if (logins.plainText() == LoginPolicy.PlainText.EVERYBODY) {
            known += " and where it is not";
        }
        return reach + ", " + known + anonymous(loopback, noUsers);
    }

    private String anonymous(boolean loopback, boolean noUsers) {
        boolean somebody = switch (logins.anonymous()) {
            case AUTO -> noUsers;
            case NOBODY -> false;
            case LOOPBACK, EVERYBODY -> true;
        };
        if (!somebody) {
            return "";
        }
        boolean everybody = loopback || logins.anonymous() == LoginPolicy.Anonymous.EVERYBODY;
        return everybody ? ", everybody else as 'anonymous'" : ", this machine as 'anonymous'";
    }

    FileWatch watch() {
        return watch;
    }

    @Override
    public void close() {
        watch.close();
        checks.close();
    }
}
