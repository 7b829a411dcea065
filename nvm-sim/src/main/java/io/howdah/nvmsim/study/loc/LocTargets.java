package io.howdah.nvmsim.study.loc;

import java.util.List;
import java.util.Optional;

/**
 * What survives of the figures of <i>Loose-Ordering Consistency</i> (ICCD 2014): the means its text
 * names. The bars of single workloads are lost.
 */
final class LocTargets {
  /** How far a mean may be off, if nothing narrower is said. */
  private static final double MEAN_BAND = 0.08;

  /** How far LOC-WAL's mean at the paper's degree may be off. */
  private static final double LOC_BAND = 0.05;

  /** Throughput of H-WAL over Base, which the transaction size is chosen by. */
  public static final double H_WAL_MEAN = 0.331;

  /** Slowdown by strict ordering that the introduction names. */
  public static final double WORST_SLOWDOWN = 10;

  /** Write traffic overhead of H-WAL (journal version's abstract; it does not say over what). */
  public static final double H_WAL_TRAFFIC = 0.171;

  /** The same of LOC-WAL. */
  public static final double LOC_TRAFFIC = 0.034;

  private LocTargets() {}

  /**
   * A published mean.
   *
   * @param protocol as the paper writes it
   * @param degree of speculation, 1 for protocols without
   * @param normalizedThroughput over Base
   * @param band how far ours may be off
   */
  public record Mean(String protocol, int degree, double normalizedThroughput, double band) {}

  /** Figures 6 to 8. */
  public static List<Mean> means() {
    return List.of(
        new Mean("S-WAL", 1, 0.316, MEAN_BAND),
        new Mean("H-WAL", 1, H_WAL_MEAN, MEAN_BAND),
        new Mean("EC-WAL", 1, 0.352, MEAN_BAND),
        new Mean("LOC-WAL", 1, 0.353, MEAN_BAND),
        new Mean("LOC-WAL", 16, 0.651, LOC_BAND),
        new Mean("LOC-WAL", 32, 0.689, MEAN_BAND),
        new Mean("LOC-Kiln", 16, 0.811, MEAN_BAND));
  }

  public static Optional<Mean> mean(String protocol, int degree) {
    return means().stream()
        .filter(mean -> mean.protocol().equals(protocol) && mean.degree() == degree)
        .findFirst();
  }

  /**
   * A ratio the paper names and the range we hold ours to.
   *
   * @param what in words
   * @param published the paper's figure
   * @param least lower end
   * @param most upper end
   */
  public record Band(String what, double published, double least, double most) {}

  public static final Band EAGER_COMMIT =
      new Band("EC-WAL over H-WAL, Figure 7", 1.064, 1.02, 1.12);

  public static final Band SPECULATION =
      new Band("LOC-WAL, degree 32 over degree 1, Figure 8", 1.955, 1.60, 2.30);
}
