package io.howdah.archives3;

import java.time.Duration;

/**
 * How long a request may take.
 *
 * @param attempts how often a request is sent at most
 * @param pause greatest pause before the second attempt; it doubles with each further one, and is
 *     ten times as long if the object store asks to slow down. Pauses are random up to that
 * @param attempt time limit of one attempt, and of silence of the connection
 * @param call time limit of all attempts and pauses together
 */
record S3Limits(int attempts, Duration pause, Duration attempt, Duration call) {

  static final S3Limits DEFAULT =
      new S3Limits(4, Duration.ofMillis(100), Duration.ofSeconds(20), Duration.ofSeconds(60));
}
