package io.mainstem.routing.topology;

import io.mainstem.routing.QueueInfo;

/**
 * A queue declaration, planned.
 *
 * @param info the answer once {@code plan} is applied
 */
public record QueuePlan(Plan plan, QueueInfo info) {}
