package io.howdah.nvmsim.study.persistency;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Figures printed in <i>Memory Persistency</i> (ISCA 2014), and what follows from them. */
final class PersistencyTargets {
  /** Persist latency of Table 1. */
  public static final double TABLE1_PERSIST_NS = 500;

  /**
   * How many stores a persist absorbs at most if the strand column of Table 1 is to come out. All
   * four of its cells imply 1/26 level per insert, and nothing in the paper says why.
   */
  public static final int STRAND_STORES_PER_PERSIST = 26;

  /** A cell of Table 1: queue family is CWL or 2LC. */
  public record Cell(String family, int threads, String model, double normalizedRate) {}

  private static final List<Cell> TABLE1 =
      List.of(
          new Cell("CWL", 1, "strict", 0.034),
          new Cell("CWL", 1, "epoch", 0.17),
          new Cell("CWL", 1, "racing", 0.17),
          new Cell("CWL", 1, "strand", 12),
          new Cell("CWL", 8, "strict", 0.058),
          new Cell("CWL", 8, "epoch", 0.40),
          new Cell("CWL", 8, "racing", 3.2),
          new Cell("CWL", 8, "strand", 21),
          new Cell("2LC", 1, "strict", 0.080),
          new Cell("2LC", 1, "epoch", 0.56),
          new Cell("2LC", 1, "racing", 0.56),
          new Cell("2LC", 1, "strand", 29),
          new Cell("2LC", 8, "strict", 0.43),
          new Cell("2LC", 8, "epoch", 3.4),
          new Cell("2LC", 8, "racing", 3.4),
          new Cell("2LC", 8, "strand", 22));

  /**
   * Time per insert that Table 1 implies, in ns, by family and threads. Not printed in the paper.
   */
  private static final Map<String, Double> PAPER_INSERT_NS =
      Map.of("CWL1", 238.0, "CWL8", 404.0, "2LC1", 560.0, "2LC8", 425.0);

  /** Break-even persist latencies of Figure 3 as its text gives them, in ns. */
  private static final Map<String, Double> FIGURE3_BREAK_EVEN_NS =
      Map.of("strict", 17.0, "epoch", 119.0, "strand", 6000.0);

  private PersistencyTargets() {}

  /** The cells of Table 1, row by row. */
  public static List<Cell> table1() {
    return TABLE1;
  }

  /** One cell of Table 1, if the paper has it. */
  public static Optional<Cell> table1(String family, int threads, String model) {
    return TABLE1.stream()
        .filter(c -> c.family.equals(family) && c.threads == threads && c.model.equals(model))
        .findFirst();
  }

  /** Time per insert on the paper's machine, if its table implies one. */
  public static Optional<Double> insertNs(String family, int threads) {
    return Optional.ofNullable(PAPER_INSERT_NS.get(family + threads));
  }

  /** Break-even latency of Figure 3, if the text names one for the model. */
  public static Optional<Double> breakEvenNs(String model) {
    return Optional.ofNullable(FIGURE3_BREAK_EVEN_NS.get(model));
  }
}
