package io.howdah.nvmsim.report;

import java.util.List;

/**
 * A place where the paper disagrees with itself or with the model built from its text.
 *
 * @param where table, figure or section
 * @param published what the paper prints
 * @param model what the model gives
 * @param verdict which of the two we follow, and why
 */
public record Discrepancy(String where, String published, String model, String verdict) {
  /** Those of <i>Memory Persistency</i> (ISCA 2014). */
  public static List<Discrepancy> memoryPersistency() {
    return List.of(
        new Discrepancy(
            "Table 1, Copy While Locked, 1 thread, epoch and racing epochs",
            "0.17 (and 5.9 times slower, which repeats it)",
            "0.238, from 2 levels per insert",
            "The model. Figure 3 puts the same configuration's break-even at 119 ns, and 119/500 is"
                + " 0.238; 0.17 would be 85 ns. The cell contradicts the figure."),
        new Discrepancy(
            "Algorithm 1, Two-Lock Concurrent, 1 thread, epoch",
            "0.56 against 0.080 for strict: a ratio of 7, so 2 levels per insert",
            "1 level per insert for the listing as printed; 2 with a barrier after the head's"
                + " persist, or with barriers round the locks",
            "Both are kept: 2LC-listed is the listing, 2LC-paper has the extra barrier that the"
                + " published figures imply."),
        new Discrepancy(
            "Table 1, strand column, all four cells",
            "12, 29, 21, 22: each is 1/26 of a level per insert",
            "2 levels in all, whatever the number of inserts: the head's persists merge for ever",
            "The model, at or above the published rate. A limit of 26 stores per persist gives the"
                + " published cells; the paper names no such limit."),
        new Discrepancy(
            "Algorithm 1, Two-Lock Concurrent, several threads, epoch and strand",
            "said to need no barrier but the one before the head (§6)",
            "persist-epoch races between the copy of one thread and the head that another persists"
                + " for it: a failure can leave a head that covers a record not yet durable",
            "The listing is kept for its figures. 2LC-repaired adds one barrier after the copy,"
                + " which orders the two and costs no level."));
  }
}
