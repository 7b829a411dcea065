package io.howdah.crashtest.soak;

import java.util.List;

/**
 * What came out of a soak.
 *
 * @param seconds that operations ran
 * @param operations that were acknowledged
 * @param kills of the process, in the middle of its work
 * @param killsWhileOpening kills of a process that opened the store
 * @param closes of the process in order
 * @param maxOpeningNanos of the longest opening
 * @param checkpoints that were taken, as far as samples have seen them
 * @param samples in the order of time
 * @param verdicts on the samples; those of figures with too few samples are not there
 * @param violations every broken promise, and every figure that is not flat
 * @param interrupted whether it was ended early, from outside
 */
public record SoakReport(
    double seconds,
    long operations,
    int kills,
    int killsWhileOpening,
    int closes,
    long maxOpeningNanos,
    long checkpoints,
    List<SoakSample> samples,
    List<Flatness.Verdict> verdicts,
    List<String> violations,
    boolean interrupted) {

  /** Copies the lists. */
  public SoakReport {
    samples = List.copyOf(samples);
    verdicts = List.copyOf(verdicts);
    violations = List.copyOf(violations);
  }
}
