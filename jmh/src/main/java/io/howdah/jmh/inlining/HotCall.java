package io.howdah.jmh.inlining;

import java.util.List;

/**
 * A call on a hot path, and what has to become of it.
 *
 * @param caller as {@code Class.method}, without package
 * @param callee in the same form
 * @param isInlined whether it has to be inlined; else it must not be a part of the path: it stays a
 *     call, or its caller does
 */
public record HotCall(String caller, String callee, boolean isInlined) {

  /** How a call turned out. */
  public enum Outcome {
    /** As it has to be, wherever it was compiled. */
    AS_EXPECTED,
    /** Otherwise, in one compiled method at least. */
    OTHERWISE,
    /** It has to be inlined, and is in no method that was compiled. */
    NOT_SEEN
  }

  /**
   * What the compiler did with a call.
   *
   * @param why where it was otherwise and the JVM's reason; empty if as expected
   */
  public record Verdict(HotCall call, Outcome outcome, String why) {}

  /** Judges the call by decisions of methods that run. */
  Verdict judge(List<Decision> decisions) {
    boolean isSeen = false;
    for (Decision decision : decisions) {
      if (!decision.caller().equals(caller) || !decision.callee().equals(callee)) {
        continue;
      }
      boolean isRare = decision.isRarelyReached();
      if (isRare && isInlined) {
        continue;
      }
      isSeen = true;
      if (decision.isInlined() != isInlined) {
        return new Verdict(
            this, Outcome.OTHERWISE, "in %s: %s".formatted(decision.unit(), decision.reason()));
      }
    }
    return isSeen || !isInlined
        ? new Verdict(this, Outcome.AS_EXPECTED, "")
        : new Verdict(this, Outcome.NOT_SEEN, "no compiled method has this call");
  }
}
