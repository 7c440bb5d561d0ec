/** Jakarta Messaging: this provider on this broker beside Artemis' own client on Artemis. */
@NullMarked
package io.mainstem.benchmarks.jms;

import org.jspecify.annotations.NullMarked;
