/**
 * Recovery of a store at its opening: folds a leftover journal, maps or loads the image, replays
 * the log above it, and prepares a new generation. Start at {@link
 * io.howdah.checkpoint.recovery.StoreRecovery}.
 *
 * <p>Runs on one engine thread, which starts further threads if there is more than one processor.
 */
@NullMarked
package io.howdah.checkpoint.recovery;

import org.jspecify.annotations.NullMarked;
