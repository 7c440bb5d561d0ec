package io.mainstem.routing.queue;

/**
 * Who asks about branches of distributed transactions.
 *
 * @param administers may decide about those of others, too
 */
record BranchUser(String virtualHost, String name, boolean administers) {
    /** A branch whose user is not known, from an earlier version, is for administrators. */
    boolean mayDecide(PreparedBranch branch) {
        return administers || name.equals(branch.user());
    }
}
