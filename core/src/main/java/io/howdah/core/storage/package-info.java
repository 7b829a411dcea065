/**
 * The port through which the engine reaches files. Start at {@link io.howdah.core.storage.Storage}.
 * The real files are in {@code io.howdah.core.storage.file}; the simulated disk of the test kit
 * implements the same port.
 */
@NullMarked
package io.howdah.core.storage;

import org.jspecify.annotations.NullMarked;
