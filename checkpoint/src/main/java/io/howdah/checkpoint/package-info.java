/**
 * The region's image on disk, and the checkpoints that keep it close enough to the end of the log
 * for a short recovery. Start at {@link io.howdah.checkpoint.OnlineCheckpoint}. The order of the
 * steps and the proofs are in docs/checkpoint.md; recovery is in {@link
 * io.howdah.checkpoint.recovery}.
 */
@NullMarked
package io.howdah.checkpoint;

import org.jspecify.annotations.NullMarked;
