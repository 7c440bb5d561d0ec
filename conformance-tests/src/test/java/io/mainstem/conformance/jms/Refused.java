package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Calls that must all end with the same exception. */
final class Refused {
    private Refused() {}

    /** Each of the calls throws the exception or one of its subclasses; a failure tells which did not, by position. */
    static void allWith(Class<? extends Throwable> type, ThrowingCallable... calls) {
        for (int i = 0; i < calls.length; i++) {
            assertThatThrownBy(calls[i]).as("call %s", i).isInstanceOf(type);
        }
    }
}
