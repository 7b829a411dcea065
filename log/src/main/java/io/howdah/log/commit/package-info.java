/**
 * The side of the log that commits use: lanes, the rings that they write redo records to, and the
 * words that all commits of a store share. Start at {@link io.howdah.log.commit.CommitLanes}; the
 * order of steps in a commit is that of docs/protocol.md, R5.
 */
@NullMarked
package io.howdah.log.commit;

import org.jspecify.annotations.NullMarked;
