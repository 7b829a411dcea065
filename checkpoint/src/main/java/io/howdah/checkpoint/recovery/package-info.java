/**
 * Opening a store's region again: folds what a checkpoint left, maps or loads the image, replays
 * the log above it, and leaves the store ready for a new generation. Start at {@link
 * io.howdah.checkpoint.recovery.StoreRecovery}.
 *
 * <p>Runs on one engine thread, which starts helpers where there is more than one processor.
 */
@NullMarked
package io.howdah.checkpoint.recovery;

import org.jspecify.annotations.NullMarked;
