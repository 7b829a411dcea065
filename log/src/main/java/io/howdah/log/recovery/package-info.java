/**
 * Recovery of a log after a crash: it determines the redo records that survive and the order of
 * their replay, and makes this decision durable for all later openings. Start at {@link
 * io.howdah.log.recovery.LogRecovery}. The proof is in docs/recovery.md, the rules are in
 * docs/protocol.md, sections 5 and 6.
 *
 * <p>Runs once per opening, on one engine thread; other threads read ahead.
 */
@NullMarked
package io.howdah.log.recovery;

import org.jspecify.annotations.NullMarked;
