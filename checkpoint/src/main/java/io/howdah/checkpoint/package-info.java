/**
 * The region's image on disk, and the checkpoints that keep it close enough to the end of the log
 * for a short recovery. Pages are held to their checksums here, at a load as well. Start at {@link
 * io.howdah.checkpoint.OnlineCheckpoint}. The order of the steps and the proofs are in
 * docs/checkpoint.md; recovery is in {@link io.howdah.checkpoint.recovery}.
 */
@NullMarked
package io.howdah.checkpoint;

import org.jspecify.annotations.NullMarked;
