package io.mainstem.spring;

import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/** An application that does not start for a failure of the provider says what is wrong and what mends it, not a stack. */
public final class MainstemFailureAnalyzer implements FailureAnalyzer {
    private static final String FIX = "; fix: ";

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        Set<Throwable> seen = new HashSet<>();
        for (Throwable cause = failure; cause != null && seen.add(cause); cause = cause.getCause()) {
            String text = cause.getMessage();
            boolean ours = (cause instanceof JMSException || cause instanceof JMSRuntimeException)
                    && text != null
                    && text.startsWith("MS-");
            if (ours && text != null) {
                return analysis(text, cause);
            }
        }
        return null;
    }

    private static FailureAnalysis analysis(String text, Throwable cause) {
        int fix = text.indexOf(FIX);
        return fix < 0
                ? new FailureAnalysis(text, "See the text; options: docs/protocols/jms.md of Mainstem.", cause)
                : new FailureAnalysis(text.substring(0, fix), sentence(text.substring(fix + FIX.length())), cause);
    }

    private static String sentence(String fix) {
        return Character.toUpperCase(fix.charAt(0)) + fix.substring(1) + (fix.endsWith(".") ? "" : ".");
    }
}
