/**
 * The port through which the engine reaches files. Start at {@link io.howdah.core.storage.Storage}.
 * {@code FileChannel} appears here and nowhere else, so the simulated disk sees every operation.
 */
@NullMarked
package io.howdah.core.storage;

import org.jspecify.annotations.NullMarked;
