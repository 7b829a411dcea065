package io.howdah.nvmsim.persistency;

/**
 * What an analysis of a trace found.
 *
 * @param model the model's name
 * @param options granularities and rules
 * @param length levels on the longest chain of ordered persists
 * @param measuredLength levels by which that chain grew in the regions of interest; all of them if
 *     the trace marks none
 * @param operations operations that ended in regions of interest, 0 if the trace marks none
 * @param persistsIssued 8-byte persists the program asked for
 * @param persistsPerformed persists left after coalescing
 * @param syncs persist syncs
 * @param events events analysed
 */
public record CriticalPath(
    String model,
    AnalysisOptions options,
    long length,
    long measuredLength,
    long operations,
    long persistsIssued,
    long persistsPerformed,
    long syncs,
    long events) {
  /** Levels per operation; NaN if the trace marks none. */
  public double perOperation() {
    return operations == 0 ? Double.NaN : (double) measuredLength / operations;
  }

  /** Share of the issued persists that were absorbed by another. */
  public double coalesced() {
    return persistsIssued == 0 ? 0 : 1 - (double) persistsPerformed / persistsIssued;
  }
}
