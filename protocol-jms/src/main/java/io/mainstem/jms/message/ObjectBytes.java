package io.mainstem.jms.message;

import io.mainstem.jms.message.value.MessageErrors;
import jakarta.jms.MessageFormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.reflect.Proxy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Java serialisation, with the classes of the thread's context class loader. */
final class ObjectBytes {
    private ObjectBytes() {}

    static byte[] of(Serializable object) throws MessageFormatException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
            output.writeObject(object);
        } catch (IOException | RuntimeException notSerialisable) {
            throw MessageErrors.notSerialisable("serialised", notSerialisable);
        }
        return bytes.toByteArray();
    }

    /**
     * @param trusted null for bytes that this JVM made itself
     * @throws MessageFormatException if a class is not trusted, not there, or the bytes are no object
     */
    static @Nullable Object read(byte[] bytes, @Nullable TrustedClasses trusted) throws MessageFormatException {
        Input input = null;
        try {
            input = new Input(bytes, trusted);
            return input.readObject();
        } catch (InvalidClassException refused) {
            if (input != null && input.refused != null) {
                throw MessageErrors.classNotAllowed(input.refused);
            }
            throw MessageErrors.notSerialisable("read", refused);
        } catch (IOException | ClassNotFoundException | RuntimeException | StackOverflowError unreadable) {
            throw MessageErrors.notSerialisable("read", unreadable);
        }
    }

    private static final class Input extends ObjectInputStream {
        private final @Nullable TrustedClasses trusted;
        private @Nullable String refused;

        Input(byte[] bytes, @Nullable TrustedClasses trusted) throws IOException {
            super(new ByteArrayInputStream(bytes));
            this.trusted = trusted;
            if (trusted != null) {
                setObjectInputFilter(this::check);
            }
        }

        /** Also asked for arrays that a collection makes while it is read, which {@link #resolveClass} never sees. */
        private ObjectInputFilter.Status check(ObjectInputFilter.FilterInfo info) {
            ObjectInputFilter.Status status = Objects.requireNonNull(trusted).checkInput(info);
            if (status == ObjectInputFilter.Status.REJECTED) {
                Class<?> type = info.serialClass();
                refused = type != null && !trusted.allows(type) ? type.getName() : refused;
            }
            return status;
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            Class<?> type = load(description);
            requireTrusted(type);
            return type;
        }

        private Class<?> load(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            if (loader != null) {
                try {
                    return Class.forName(description.getName(), false, loader);
                } catch (ClassNotFoundException elsewhere) {
                    return super.resolveClass(description);
                }
            }
            return super.resolveClass(description);
        }

        @Override
        protected Class<?> resolveProxyClass(String[] interfaces) throws IOException, ClassNotFoundException {
            Class<?> proxy = super.resolveProxyClass(interfaces);
            for (Class<?> implemented : proxy.getInterfaces()) {
                requireTrusted(implemented);
            }
            if (!Proxy.isProxyClass(proxy)) {
                throw new InvalidClassException(proxy.getName(), "no proxy");
            }
            return proxy;
        }

        private void requireTrusted(Class<?> type) throws InvalidClassException {
            if (trusted != null && !trusted.allows(type)) {
                refused = type.getName();
                throw new InvalidClassException(type.getName(), "not trusted");
            }
        }
    }
}
