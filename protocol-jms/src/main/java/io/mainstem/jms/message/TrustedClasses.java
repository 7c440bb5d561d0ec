package io.mainstem.jms.message;

import java.io.ObjectInputFilter;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which classes an ObjectMessage may be made of when it is read (JEP 290). Nothing by default: with the classes of a
 * usual class path, bytes of a stranger can be made to run a stranger's code. Thread: any; immutable.
 */
final class TrustedClasses implements ObjectInputFilter {
    private static final String ALL = "*";
    private static final long DEPTH_MAX = 100;
    private static final long REFERENCES_MAX = 1_000_000;
    private static final long ARRAY_LENGTH_MAX = 16 << 20;
    /** Values without behaviour; nearly every object holds some of them. */
    private static final Set<Class<?>> VALUES = Set.of(
            Boolean.class,
            Byte.class,
            Short.class,
            Character.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            Number.class,
            String.class,
            Enum.class,
            Object.class);

    private final Set<String> packages;
    private final @Nullable ObjectInputFilter ofJvm;

    /** @param packages names of packages (with all below them) and of classes; {@code *} for all */
    TrustedClasses(Set<String> packages) {
        this.packages = packages;
        this.ofJvm = Config.getSerialFilter();
    }

    boolean isEmpty() {
        return packages.isEmpty();
    }

    @Override
    public Status checkInput(FilterInfo info) {
        if (ofJvm != null && ofJvm.checkInput(info) == Status.REJECTED) {
            return Status.REJECTED;
        }
        if (info.depth() > DEPTH_MAX || info.references() > REFERENCES_MAX || info.arrayLength() > ARRAY_LENGTH_MAX) {
            return Status.REJECTED;
        }
        Class<?> type = info.serialClass();
        return type == null ? Status.UNDECIDED : allows(type) ? Status.ALLOWED : Status.REJECTED;
    }

    boolean allows(Class<?> type) {
        Class<?> element = type;
        while (element.isArray()) {
            element = element.getComponentType();
        }
        return element.isPrimitive() || VALUES.contains(element) || allows(element.getName());
    }

    private boolean allows(String className) {
        if (packages.contains(ALL) || packages.contains(className)) {
            return true;
        }
        for (int dot = className.lastIndexOf('.'); dot > 0; dot = className.lastIndexOf('.', dot - 1)) {
            if (packages.contains(className.substring(0, dot))) {
                return true;
            }
        }
        return false;
    }
}
