package io.mainstem.launcher;

import io.mainstem.launcher.lifecycle.ExitCode;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidDestinationRuntimeException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.InvalidSelectorRuntimeException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.JMSSecurityRuntimeException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the process returns for a failure of the Jakarta Messaging provider. */
final class MessagingExit {
    /** No broker, or one that is gone or silent. */
    private static final Set<String> UNREACHABLE = Set.of("0702", "0704", "0705");

    /** A login that the broker refused, or a broker that is not trusted. */
    private static final String LOGIN = "0703";

    private static final int ID_CHARS = "MS-nnnn".length();

    private MessagingExit() {}

    static ExitCode of(Exception failure) {
        String code = codeOf(failure);
        if (failure instanceof JMSSecurityException || failure instanceof JMSSecurityRuntimeException) {
            return ExitCode.NOT_PERMITTED;
        }
        if (failure instanceof InvalidDestinationException || failure instanceof InvalidDestinationRuntimeException) {
            return ExitCode.NO_SUCH;
        }
        boolean written = failure instanceof InvalidSelectorException
                || failure instanceof InvalidSelectorRuntimeException
                || (code != null && (code.startsWith("077") || code.equals("0731")));
        if (written) {
            return ExitCode.USAGE;
        }
        return code != null && UNREACHABLE.contains(code) ? ExitCode.UNREACHABLE : ExitCode.REQUEST_REFUSED;
    }

    /** What people read: the provider's words, but the fix in terms of the command's options. */
    static String text(Exception failure) {
        String text = String.valueOf(failure.getMessage());
        int fix = text.indexOf("; fix: ");
        boolean login = LOGIN.equals(codeOf(failure)) && fix > ID_CHARS;
        if (login) {
            return "MS-0131" + text.substring(ID_CHARS, fix)
                    + " fix: give --user and the right password, by --password-file or MAINSTEM_PASSWORD.";
        }
        return text;
    }

    private static @Nullable String codeOf(Exception failure) {
        if (failure instanceof JMSException checked) {
            return number(checked.getErrorCode());
        }
        return failure instanceof JMSRuntimeException unchecked ? number(unchecked.getErrorCode()) : null;
    }

    /** The digits of an id. */
    private static @Nullable String number(@Nullable String id) {
        return id == null ? null : id.substring(id.indexOf('-') + 1);
    }
}
