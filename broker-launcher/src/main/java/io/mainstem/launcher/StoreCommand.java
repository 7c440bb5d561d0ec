package io.mainstem.launcher;

import picocli.CommandLine.Command;

/** {@code mainstem store}. */
@Command(name = "store", description = "Looks at a stopped broker's store.")
final class StoreCommand {}
