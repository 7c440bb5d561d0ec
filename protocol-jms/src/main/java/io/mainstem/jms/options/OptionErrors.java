package io.mainstem.jms.options;

import jakarta.jms.JMSRuntimeException;

/** Refusals of URIs and options. They are unchecked: a factory is made by constructors and bean setters. */
final class OptionErrors {
    private OptionErrors() {}

    static JMSRuntimeException uri(String uri, String found, String fix) {
        return of("MS-0770", "broker URI '" + withoutSecrets(uri) + "': " + found + "; fix: " + fix);
    }

    static JMSRuntimeException unknown(String name) {
        return of(
                "MS-0771",
                "unknown option '" + name + "'; nearest: " + OptionKey.nearest(name)
                        + "; fix: write a name from docs/protocols/jms.md");
    }

    static JMSRuntimeException value(OptionKey key, String found) {
        return of(
                "MS-0772",
                "option " + key.name() + ": found '" + (key.isSecret() ? "***" : found) + "', wanted " + key.wanted()
                        + "; fix: correct it, or leave it out for the default");
    }

    static JMSRuntimeException twice(String name, String fix) {
        return of("MS-0773", "option " + name + " is given twice with different values; fix: " + fix);
    }

    static JMSRuntimeException combination(IllegalArgumentException refused) {
        return of("MS-0774", "options do not fit each other: " + refused.getMessage() + "; fix: correct one of them");
    }

    /** Passwords in the query and user information before the host are not for log files. */
    static String withoutSecrets(String uri) {
        return uri.replaceAll("(?i)(password=)[^&)]*", "$1***").replaceAll("//[^/@?,)]*@", "//***@");
    }

    private static JMSRuntimeException of(String code, String text) {
        return new JMSRuntimeException(code + " " + text, code);
    }
}
