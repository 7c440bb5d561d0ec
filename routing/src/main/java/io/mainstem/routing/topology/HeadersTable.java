package io.mainstem.routing.topology;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Arguments against headers, by what a message must have so that a binding can match: one that wants all of its arguments
 * is listed at one of them, the one with the fewest others; one that wants any of them at each. A message costs a look-up for
 * each of its headers and a comparison for each binding listed there. Immutable.
 *
 * @param byNeed bindings with what they compare, by what they cannot do without
 * @param always those that want nothing
 */
record HeadersTable(
        PersistentMap<HeaderNeed, PersistentMap<Binding, HeadersMatcher>> byNeed,
        PersistentMap<Binding, HeadersMatcher> always)
        implements BindingTable {
    static final HeadersTable EMPTY = new HeadersTable(PersistentMap.empty(), PersistentMap.empty());

    @Override
    public BindingTable with(Binding binding) {
        HeadersMatcher matcher = HeadersMatcher.of(binding.spec());
        if (matcher.arguments().isEmpty()) {
            return new HeadersTable(byNeed, always.with(binding, matcher));
        }
        PersistentMap<HeaderNeed, PersistentMap<Binding, HeadersMatcher>> changed = byNeed;
        if (matcher.all()) {
            HeaderNeed rarest = rarest(matcher);
            changed = changed.with(rarest, at(rarest).with(binding, matcher));
        } else {
            for (HeaderNeed need : matcher.needs()) {
                changed = changed.with(need, at(need).with(binding, matcher));
            }
        }
        return new HeadersTable(changed, always);
    }

    @Override
    public BindingTable without(Binding binding) {
        PersistentMap<HeaderNeed, PersistentMap<Binding, HeadersMatcher>> changed = byNeed;
        for (HeaderNeed need : HeadersMatcher.of(binding.spec()).needs()) {
            PersistentMap<Binding, HeadersMatcher> before = at(need);
            PersistentMap<Binding, HeadersMatcher> rest = before.without(binding);
            if (rest.isEmpty()) {
                changed = changed.without(need);
            } else if (rest != before) {
                changed = changed.with(need, rest);
            }
        }
        return new HeadersTable(changed, always.without(binding));
    }

    private HeaderNeed rarest(HeadersMatcher matcher) {
        HeaderNeed rarest = null;
        int fewest = Integer.MAX_VALUE;
        for (HeaderNeed need : matcher.needs()) {
            int others = at(need).size();
            if (rarest == null || others < fewest) {
                rarest = need;
                fewest = others;
            }
        }
        if (rarest == null) {
            throw new IllegalStateException("a binding that wants nothing");
        }
        return rarest;
    }

    private PersistentMap<Binding, HeadersMatcher> at(HeaderNeed need) {
        PersistentMap<Binding, HeadersMatcher> found = byNeed.get(need);
        return found == null ? PersistentMap.empty() : found;
    }

    @Override
    public void match(String key, Headers headers, Consumer<Binding> matched) {
        match(always, headers, matched);
        if (!byNeed.isEmpty()) {
            headers.forEach((name, value) -> match(name, value, headers, matched));
        }
    }

    private void match(String name, @Nullable Object value, Headers headers, Consumer<Binding> matched) {
        match(at(HeaderNeed.presence(name)), headers, matched);
        if (value != null) {
            match(at(HeaderNeed.of(name, value)), headers, matched);
        }
    }

    private static void match(
            PersistentMap<Binding, HeadersMatcher> listed, Headers headers, Consumer<Binding> matched) {
        listed.forEach((binding, matcher) -> {
            if (matcher.matches(headers)) {
                matched.accept(binding);
            }
        });
    }

    @Override
    public void forEach(Consumer<Binding> action) {
        always.forEach((binding, matcher) -> action.accept(binding));
        byNeed.forEach((need, listed) -> listed.forEach((binding, matcher) -> action.accept(binding)));
    }

    @Override
    public boolean readsHeaders() {
        return true;
    }
}
