package io.mainstem.amqp.v1;

import org.apache.qpid.proton.amqp.DescribedType;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.jspecify.annotations.Nullable;

/** Filters that the broker honours, by descriptor [J-6]. */
enum FilterKind {
    JMS_SELECTOR("jms-selector", "apache.org:selector-filter:string", 0x0000468C00000004L),
    NO_LOCAL("no-local", "apache.org:no-local-filter:list", 0x0000468C00000003L),
    SQL("sql-filter", "amqp:sql-filter", 0x120),
    PROPERTIES("amqp:properties-filter", "amqp:properties-filter", 0x173),
    APPLICATION_PROPERTIES("amqp:application-properties-filter", "amqp:application-properties-filter", 0x174);

    /** The key most clients use. */
    final String key;

    private final String name;
    private final long code;

    FilterKind(String key, String name, long code) {
        this.key = key;
        this.name = name;
        this.code = code;
    }

    /** The kind of a filter, or null if it is none of these. */
    static @Nullable FilterKind of(@Nullable Object filter) {
        if (filter instanceof DescribedType described) {
            for (FilterKind kind : values()) {
                if (kind.isDescribedBy(described.getDescriptor())) {
                    return kind;
                }
            }
        }
        return null;
    }

    private boolean isDescribedBy(@Nullable Object descriptor) {
        return descriptor instanceof UnsignedLong number
                ? number.longValue() == code
                : descriptor instanceof Symbol symbol && symbol.toString().equals(name);
    }

    /** A filter of this kind. */
    DescribedType described(Object value) {
        return new DescribedType() {
            @Override
            public Object getDescriptor() {
                return UnsignedLong.valueOf(code);
            }

            @Override
            public Object getDescribed() {
                return value;
            }
        };
    }
}
