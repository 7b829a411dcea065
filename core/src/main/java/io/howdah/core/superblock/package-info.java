/**
 * The superblock: what a store knows about itself before it reads anything else. Start at {@link
 * io.howdah.core.superblock.SuperblockFile}. The records are values and refuse what cannot be; the
 * file belongs to the one thread that opens, checkpoints and closes the store.
 */
@NullMarked
package io.howdah.core.superblock;

import org.jspecify.annotations.NullMarked;
