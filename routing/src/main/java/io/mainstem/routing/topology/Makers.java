package io.mainstem.routing.topology;

/**
 * Who has made what, since the start of the broker, and how much of it is there: for the shares of users. Only kept where shares are
 * less than all. Immutable.
 *
 * @param by queues and exchanges by their {@link Destination}, bindings by their {@link BindingId}
 * @param counts what there is of each user and kind
 */
record Makers(PersistentMap<Object, Share> by, PersistentMap<Makers.Share, Integer> counts) {
    static final Makers NONE = new Makers(PersistentMap.empty(), PersistentMap.empty());

    /** What shares are counted of. */
    enum Kind {
        QUEUE,
        EXCHANGE,
        BINDING
    }

    record Share(Kind kind, String user) {}

    int count(Share share) {
        Integer count = counts.get(share);
        return count == null ? 0 : count;
    }

    Makers with(Object thing, Share share) {
        return by.get(thing) != null ? this : new Makers(by.with(thing, share), counts.with(share, count(share) + 1));
    }

    Makers without(Object thing) {
        Share share = by.get(thing);
        if (share == null) {
            return this;
        }
        int left = count(share) - 1;
        return new Makers(by.without(thing), left == 0 ? counts.without(share) : counts.with(share, left));
    }
}
