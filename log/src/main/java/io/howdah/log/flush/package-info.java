/**
 * The side of the log that makes records durable: the flusher, the segments that it writes batches
 * to, and the threads that wait for a force. Start at {@link io.howdah.log.flush.Flusher}.
 */
@NullMarked
package io.howdah.log.flush;

import org.jspecify.annotations.NullMarked;
