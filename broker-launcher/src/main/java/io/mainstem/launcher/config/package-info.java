/**
 * Configuration: the registry of keys, their types and ranges, the layers that set them (default, file, environment,
 * {@code --set}), and where each value came from.
 *
 * <p>Thread: any; everything here is immutable once built.
 *
 * <p>May be imported by: the launcher only. Other modules get finished records such as
 * {@link io.mainstem.store.StoreConfig}.
 */
@NullMarked
package io.mainstem.launcher.config;

import org.jspecify.annotations.NullMarked;
