/** A snapshot of a member's files as a stream of bytes: {@link SnapshotWriter} to its reader. */
@NullMarked
package io.howdah.replica.snapshot;

import org.jspecify.annotations.NullMarked;
