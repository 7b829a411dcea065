/**
 * The part of the log that makes records durable: the flusher, the segments to which it writes
 * batches, and the threads that wait for a force. Start at {@link io.howdah.log.flush.Flusher}.
 */
@NullMarked
package io.howdah.log.flush;

import org.jspecify.annotations.NullMarked;
