/**
 * The real implementation of the storage port: files, locks, mapped and anonymous memory of this
 * machine. Start at {@link io.howdah.core.storage.file.FileStorage}. {@code FileChannel} appears in
 * this package and nowhere else in the engine, so the simulated disk sees every file operation.
 */
@NullMarked
package io.howdah.core.storage.file;

import org.jspecify.annotations.NullMarked;
