package io.mainstem.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The normative statements of MQTT 5.0 that a test shows, by their ids without brackets. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Statement {
    String[] value();
}
