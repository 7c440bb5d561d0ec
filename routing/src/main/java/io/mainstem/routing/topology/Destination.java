package io.mainstem.routing.topology;

/** What bindings lead to: queues and exchanges have separate name spaces. */
record Destination(String name, boolean queue) {}
