package io.mainstem.conformance.jms;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a test shows: sections of Jakarta Messaging 3.1, or the class and method whose API documentation says so. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Clause {
    String[] value();
}
