/**
 * The partitioned redo log: committers append redo records to per-partition rings, the flusher
 * forces them in batches and publishes the stable LSN. See Hathi (Kim et al., DaMoN 2012), section
 * 4.
 */
@NullMarked
package io.howdah.log;

import org.jspecify.annotations.NullMarked;
