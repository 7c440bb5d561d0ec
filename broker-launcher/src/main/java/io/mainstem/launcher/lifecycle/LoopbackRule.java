package io.mainstem.launcher.lifecycle;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** As long as nobody has to prove who they are, only this machine may connect. */
final class LoopbackRule {
    private LoopbackRule() {}

    /**
     * Resolves the host of a listener.
     *
     * @param key the configuration key it came from
     * @param open peers have to say who they are, so any address will do
     * @throws StartFailure if the name is unknown or any of its addresses is not loopback
     */
    static InetAddress resolve(String key, String host, boolean open) {
        InetAddress[] addresses;
        try {
            addresses = InetAddress.getAllByName(host);
        } catch (UnknownHostException e) {
            throw new StartFailure(
                    ExitCode.REFUSED,
                    "MS-0113",
                    key + ": host '" + host + "' is unknown on this machine.",
                    "use an address of this machine, such as 127.0.0.1.",
                    e);
        }
        for (InetAddress address : addresses) {
            if (!open && !address.isLoopbackAddress()) {
                throw new StartFailure(
                        ExitCode.REFUSED,
                        "MS-0112",
                        key + ": " + host + " is not a loopback address, and there are no users, so anyone"
                                + " who reaches it could read and write every message.",
                        "add a user first: mainstem user add NAME; or set " + key + " to 127.0.0.1 or ::1.",
                        null);
            }
        }
        return addresses[0];
    }
}
