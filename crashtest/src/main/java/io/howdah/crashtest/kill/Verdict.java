package io.howdah.crashtest.kill;

import java.util.List;

/**
 * What one opening of the store gave back of what ran before it.
 *
 * @param acknowledged transfers whose commit had returned
 * @param recovered transfers found, more than acknowledged where a commit was under way
 * @param lost acknowledged transfers not found, although they were promised
 * @param dropped acknowledged transfers not found, of which the mode does not promise that
 * @param violations every broken promise, in words; the first few of each kind
 */
public record Verdict(
    long acknowledged, long recovered, long lost, long dropped, List<String> violations) {

  /** Copies the list. */
  public Verdict {
    violations = List.copyOf(violations);
  }

  /** Returns how many transfers were found whose commit had not returned. */
  long inFlight() {
    return recovered + lost + dropped - acknowledged;
  }
}
