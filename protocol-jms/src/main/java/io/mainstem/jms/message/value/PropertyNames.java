package io.mainstem.jms.message.value;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Names of properties that stand for header fields of AMQP, and the rule for all others (Jakarta Messaging 3.5.1). */
public final class PropertyNames {
    public static final String GROUP_ID = "JMSXGroupID";
    public static final String GROUP_SEQUENCE = "JMSXGroupSeq";
    public static final String USER_ID = "JMSXUserID";
    public static final String APP_ID = "JMSXAppID";
    public static final String DELIVERY_COUNT = "JMSXDeliveryCount";
    public static final String REPLY_TO_GROUP_ID = "JMS_AMQP_REPLY_TO_GROUP_ID";
    public static final String TTL = "JMS_AMQP_TTL";
    /** Facts the broker noted about a message; readable by name, never listed, never sent. */
    public static final String BROKER_PREFIX = "JMS_MAINSTEM_";

    private static final Set<String> RESERVED =
            Set.of("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE");
    private static final String WANTED = "a Java identifier, none of " + String.join(" ", new TreeSet<>(RESERVED));

    /** Set by the provider or kept in another section; not among the application-properties. */
    private static final Set<String> ELSEWHERE =
            Set.of(GROUP_ID, GROUP_SEQUENCE, USER_ID, APP_ID, DELIVERY_COUNT, REPLY_TO_GROUP_ID, TTL);

    private PropertyNames() {}

    public static boolean isElsewhere(String name) {
        return name.startsWith("JMS") && (ELSEWHERE.contains(name) || name.startsWith(BROKER_PREFIX));
    }

    /**
     * @param strict false allows every text that is not empty, for senders to peers that use names like content-length
     * @throws IllegalArgumentException if the name may not be set
     */
    static String checked(@Nullable String name, boolean strict) {
        if (name == null || name.isEmpty()) {
            throw MessageErrors.badName("property", name, WANTED);
        }
        if (name.startsWith(BROKER_PREFIX)) {
            throw MessageErrors.badName(
                    "property",
                    name,
                    "a name that does not begin with " + BROKER_PREFIX + ", which is for what the broker tells");
        }
        if (strict && (!isIdentifier(name) || RESERVED.contains(name.toUpperCase(Locale.ROOT)))) {
            throw MessageErrors.badName("property", name, WANTED + " (or the option jms.validatePropertyNames=false)");
        }
        return name;
    }

    private static boolean isIdentifier(String name) {
        if (!Character.isJavaIdentifierStart(name.charAt(0))) {
            return false;
        }
        for (int i = 1; i < name.length(); i++) {
            if (!Character.isJavaIdentifierPart(name.charAt(i))) {
                return false;
            }
        }
        return true;
    }
}
