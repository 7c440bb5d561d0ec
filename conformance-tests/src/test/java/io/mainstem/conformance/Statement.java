package io.mainstem.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The normative statements that a test shows, by their ids without brackets. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Statement {
    /** Of MQTT 5.0. */
    String[] value() default {};

    /** Of MQTT 3.1.1, which numbers its own. */
    String[] v311() default {};
}
