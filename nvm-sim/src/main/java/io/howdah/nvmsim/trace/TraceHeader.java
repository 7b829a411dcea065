package io.howdah.nvmsim.trace;

/**
 * What made a trace. Policy and seed, with the program, are enough to make it again.
 *
 * @param policy name of the scheduling policy, at most {@value TraceFileLayout#POLICY_LENGTH} ASCII
 *     characters
 * @param seed its seed
 * @param hasValues whether stored values are in the trace
 */
public record TraceHeader(String policy, long seed, boolean hasValues) {
  public TraceHeader {
    if (policy.length() > TraceFileLayout.POLICY_LENGTH
        || !policy.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new IllegalArgumentException(
          "policy must be at most "
              + TraceFileLayout.POLICY_LENGTH
              + " printable ASCII characters: "
              + policy);
    }
  }
}
