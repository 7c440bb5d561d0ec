package io.mainstem.jms.jndi;

import io.mainstem.jms.destination.MainstemQueue;
import io.mainstem.jms.destination.MainstemTopic;
import java.util.Hashtable;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import javax.naming.Binding;
import javax.naming.CompositeName;
import javax.naming.Context;
import javax.naming.Name;
import javax.naming.NameClassPair;
import javax.naming.NameNotFoundException;
import javax.naming.NameParser;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.NotContextException;
import javax.naming.OperationNotSupportedException;

/** Names and what they stand for; it cannot be written. Thread: any. */
final class NamingContext implements Context {
    private static final String DYNAMIC_QUEUES = "dynamicQueues/";
    private static final String DYNAMIC_TOPICS = "dynamicTopics/";

    private final Map<String, Object> bindings;
    private final Hashtable<?, ?> environment;

    NamingContext(Map<String, Object> bindings, Hashtable<?, ?> environment) {
        this.bindings = new TreeMap<>(bindings);
        this.environment = (Hashtable<?, ?>) environment.clone();
    }

    private Object find(String name) throws NamingException {
        if (name.isEmpty()) {
            return this;
        }
        Object found = bindings.get(name);
        if (found != null) {
            return found;
        }
        if (name.startsWith(DYNAMIC_QUEUES) && name.length() > DYNAMIC_QUEUES.length()) {
            return new MainstemQueue(name.substring(DYNAMIC_QUEUES.length()));
        }
        if (name.startsWith(DYNAMIC_TOPICS) && name.length() > DYNAMIC_TOPICS.length()) {
            return new MainstemTopic(name.substring(DYNAMIC_TOPICS.length()));
        }
        throw new NameNotFoundException("MS-0777 no '" + name + "' here; bound: " + bindings.keySet()
                + "; fix: define connectionfactory." + name + ", queue." + name + " or topic." + name
                + ", or look up dynamicQueues/ADDRESS");
    }

    @Override
    public Object lookup(Name name) throws NamingException {
        return find(name.toString());
    }

    @Override
    public Object lookup(String name) throws NamingException {
        return find(name);
    }

    @Override
    public Object lookupLink(Name name) throws NamingException {
        return find(name.toString());
    }

    @Override
    public Object lookupLink(String name) throws NamingException {
        return find(name);
    }

    @Override
    public NamingEnumeration<NameClassPair> list(Name name) throws NamingException {
        return list(name.toString());
    }

    @Override
    public NamingEnumeration<NameClassPair> list(String name) throws NamingException {
        return all(
                name,
                entry -> new NameClassPair(
                        entry.getKey(), entry.getValue().getClass().getName()));
    }

    @Override
    public NamingEnumeration<Binding> listBindings(Name name) throws NamingException {
        return listBindings(name.toString());
    }

    @Override
    public NamingEnumeration<Binding> listBindings(String name) throws NamingException {
        return all(name, entry -> new Binding(entry.getKey(), entry.getValue()));
    }

    private <T> NamingEnumeration<T> all(String name, Function<Map.Entry<String, Object>, T> form)
            throws NamingException {
        if (!name.isEmpty()) {
            throw new NotContextException("'" + name + "' is no context");
        }
        return new Entries<>(bindings.entrySet().stream().map(form).toList());
    }

    @Override
    public NameParser getNameParser(Name name) {
        return CompositeName::new;
    }

    @Override
    public NameParser getNameParser(String name) {
        return CompositeName::new;
    }

    @Override
    public Name composeName(Name name, Name prefix) throws NamingException {
        return ((Name) prefix.clone()).addAll(name);
    }

    @Override
    public String composeName(String name, String prefix) throws NamingException {
        return composeName(new CompositeName(name), new CompositeName(prefix)).toString();
    }

    @Override
    public Hashtable<?, ?> getEnvironment() {
        return (Hashtable<?, ?>) environment.clone();
    }

    @Override
    public Object addToEnvironment(String name, Object value) throws NamingException {
        throw readOnly();
    }

    @Override
    public Object removeFromEnvironment(String name) throws NamingException {
        throw readOnly();
    }

    @Override
    public String getNameInNamespace() {
        return "";
    }

    @Override
    public void close() {
        // holds nothing
    }

    @Override
    public void bind(Name name, Object object) throws NamingException {
        throw readOnly();
    }

    @Override
    public void bind(String name, Object object) throws NamingException {
        throw readOnly();
    }

    @Override
    public void rebind(Name name, Object object) throws NamingException {
        throw readOnly();
    }

    @Override
    public void rebind(String name, Object object) throws NamingException {
        throw readOnly();
    }

    @Override
    public void unbind(Name name) throws NamingException {
        throw readOnly();
    }

    @Override
    public void unbind(String name) throws NamingException {
        throw readOnly();
    }

    @Override
    public void rename(Name from, Name to) throws NamingException {
        throw readOnly();
    }

    @Override
    public void rename(String from, String to) throws NamingException {
        throw readOnly();
    }

    @Override
    public void destroySubcontext(Name name) throws NamingException {
        throw readOnly();
    }

    @Override
    public void destroySubcontext(String name) throws NamingException {
        throw readOnly();
    }

    @Override
    public Context createSubcontext(Name name) throws NamingException {
        throw readOnly();
    }

    @Override
    public Context createSubcontext(String name) throws NamingException {
        throw readOnly();
    }

    private static OperationNotSupportedException readOnly() {
        return new OperationNotSupportedException("this context is configured by its properties and cannot be changed");
    }

    private static final class Entries<T> implements NamingEnumeration<T> {
        private final Iterator<T> rest;

        Entries(List<T> all) {
            rest = all.iterator();
        }

        @Override
        public T next() {
            return rest.next();
        }

        @Override
        public boolean hasMore() {
            return rest.hasNext();
        }

        @Override
        public boolean hasMoreElements() {
            return rest.hasNext();
        }

        @Override
        public T nextElement() {
            return rest.next();
        }

        @Override
        public void close() {
            // holds nothing
        }
    }
}
