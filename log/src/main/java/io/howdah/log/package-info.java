/**
 * The partitioned redo log: commits append redo records to rings, the flusher forces them in
 * batches and publishes the stable LSN. Start at {@link io.howdah.log.RedoLog}. See Hathi (Saxena,
 * Shah, Harizopoulos, Swift and Merchant, DaMoN 2012), section 4.
 */
@NullMarked
package io.howdah.log;

import org.jspecify.annotations.NullMarked;
