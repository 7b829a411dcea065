/**
 * The part of the log that commits use: lanes, the rings to which they write redo records, and the
 * words that all commits of a store share. Start at {@link io.howdah.log.commit.CommitLanes}. The
 * order of a commit's steps is in docs/protocol.md, R5.
 */
@NullMarked
package io.howdah.log.commit;

import org.jspecify.annotations.NullMarked;
