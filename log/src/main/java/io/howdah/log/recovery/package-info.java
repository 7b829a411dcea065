/**
 * What a log holds after a crash: which redo records count, in which order they are replayed, and
 * what is written down so that no later opening decides otherwise. Start at {@link
 * io.howdah.log.recovery.LogRecovery}; the argument is docs/recovery.md, the rules those of
 * docs/protocol.md, sections 5 and 6.
 *
 * <p>Runs once per opening, on one engine thread, beside a second that reads ahead.
 */
@NullMarked
package io.howdah.log.recovery;

import org.jspecify.annotations.NullMarked;
