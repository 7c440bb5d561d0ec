/**
 * The Jakarta Messaging provider under the libraries that applications use it by, against an embedded broker.
 *
 * <p>Thread: tests.
 *
 * <p>May be imported by: nobody.
 */
package io.mainstem.conformance.ecosystem;
