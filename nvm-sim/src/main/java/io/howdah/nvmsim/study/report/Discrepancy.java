package io.howdah.nvmsim.study.report;

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

  /** Those of <i>Loose-Ordering Consistency</i> (ICCD 2014). */
  public static List<Discrepancy> looseOrdering() {
    return List.of(
        new Discrepancy(
            "Section III-A, size of a block group",
            "64 bytes, sent in one burst; Figure 2 draws eight blocks, seven of them whole lines",
            "512 bytes: seven lines of data and one of META",
            "The figure. A group of 64 bytes could not hold seven lines. Then a group is eight"
                + " bursts, and that it arrives as a whole is a demand on the memory, not a fact."),
        new Discrepancy(
            "Section III-A, Eager Commit without atomic groups",
            "not considered",
            "META has to wait for its blocks, one more wait per commit, as a commit record does",
            "Both are run. Word by word, Eager Commit saves the record but not the wait."),
        new Discrepancy(
            "Section III-B, transactions without a block of their own in the log",
            "Tx is committed if its log blocks plus n equal its TxCnt",
            "if all its blocks are left to later ones, no block carries the TxCnt",
            "The list of pairs has entries that carry it, and entries for aborted transactions."),
        new Discrepancy(
            "Section III-C, third step of recovery",
            "discard everything from the first transaction that is not committed",
            "may keep a transaction whose block was left to a complete one behind that: half of it"
                + " is lost",
            "Cut on, before the first transaction that left a block to a discarded one. Crash"
                + " checks find the lost half without this rule (sim-loc-cut-of-the-paper)."),
        new Discrepancy(
            "Sections IV-B and IV-C, in-place writes",
            "done like a conventional cache's, when the line is evicted",
            "done and waited for at the end of a window",
            "The model. Left to eviction, a window of one transaction would lose most of its"
                + " overhead, against Figures 7 and 8."),
        new Discrepancy(
            "Section IV-C, logging phase",
            "begins when the transaction commits",
            "begins when the window ends; before that evicted lines alone are logged",
            "The model. Which versions are the latest is known at the end of the window. Log writes"
                + " do not overlap with its execution then, so LOC-WAL is not favoured."),
        new Discrepancy(
            "Kiln, latency of the non-volatile last level",
            "not in the copies we have",
            "12 ns, as of the volatile last level",
            "Ours. A slower one would lower Kiln and LOC-Kiln."),
        new Discrepancy(
            "Tables I and II",
            "lost in the copies we have: cache sizes, data sizes, transaction sizes",
            "L1 64 KB, L2 256 KB, last level 1 MB, 32 banks, data of 768 KB, 1 operation per"
                + " transaction",
            "Ours, from a sweep over banks and operations. Data far beyond the last level makes"
                + " Base wait for reads instead, and no transaction size gives H-WAL's published"
                + " mean."));
  }

  /** Those of <i>ThyNVM</i> (MICRO 2015). */
  public static List<Discrepancy> thynvm() {
    return List.of(
        new Discrepancy(
            "Section 5.2, means of Figure 7",
            "within 14.3 % of Ideal DRAM and 5.9 % better than Ideal NVM",
            "its own bars give +21.6 % time, and 0.8 % worse than Ideal NVM; 7.6 % better on"
                + " sliding alone",
            "The bars."),
        new Discrepancy(
            "Section 5.2, means of the time spent on checkpoints",
            "18.9, 15.2 and 2.5 % for Journal, Shadow and ThyNVM",
            "the bars of Figure 8 give 21.7, 21.3 and 4.1 %",
            "The bars."),
        new Discrepancy(
            "Section 5.3, ThyNVM over Shadow",
            "+29.9 % (hash) and +43.1 % (red-black tree)",
            "the bars of Figure 9 give +64 % and +45 %",
            "The bars."),
        new Discrepancy(
            "Section 5.1, the program 'sliding'",
            "random accesses within the window; of the authors' three versions two make them, the"
                + " last writes all blocks and reads them, twice",
            "the last version: Journal waits for 27.5 % of the time; with random accesses 13.1 %;"
                + " the bar has 35.0 %",
            "The bars of Figures 7 and 8: with random accesses ThyNVM would also lose to Shadow and"
                + " to Ideal NVM, against both."),
        new Discrepancy(
            "Section 4.2, threshold of demotion",
            "16 stores of a page in an epoch; the authors' program leaves pages below 0.67 of 64,"
                + " and keeps those without any store",
            "16, and pages without a store stay while the PTT has room",
            "Both. A page that is not written says nothing of its locality."),
        new Discrepancy(
            "Section 5.1, epochs of at most 10 ms",
            "the authors' program has no such limit",
            "mode paper has it, mode artifact has not",
            "Both. The BTT ends nearly all epochs of these programs."),
        new Discrepancy(
            "Section 4.2 and Figure 6b, backup of the BTT and PTT",
            "written in the checkpointing phase, beside execution; the authors' program lets the"
                + " core wait for it",
            "the core waits; the variant 'tables in background' does not",
            "The program, since its times are published. 'no overlap' hides behind that wait; the"
                + " variants in the background show what it costs."),
        new Discrepancy(
            "Section 4.4, data flush",
            "cleans all changed lines of the caches, up to 32,768; the BTT has 2048 entries, and"
                + " the authors' program flushes none",
            "mode paper counts changed lines and ends the epoch while the BTT can take them all",
            "Ours. A flush that overflows the tables spreads one checkpoint over several, so it"
                + " does not recover. The variant 'unbounded flush' shows its cost: random 1.257"
                + " instead of 1.228 of Ideal DRAM's time."),
        new Discrepancy(
            "Eviction of a block during a checkpoint",
            "the authors' program exchanges its slot with Home, without a record",
            "what Home holds is saved and recorded first; recovery puts it back",
            "Ours. Between the exchange and the completion bit neither checkpoint could be"
                + " recovered."),
        new Discrepancy(
            "Promotion of a page",
            "the authors' program overwrites Home before the next checkpoint is valid",
            "the page goes to checkpoint region A first",
            "Ours, for the same reason. It writes as many blocks as the paper's bar of Figure 8."),
        new Discrepancy(
            "Figure 8, ThyNVM on random",
            "726 MB of checkpoints for 287 MB of the CPU",
            "one copy to Home per store, 99 MB for 100",
            "Partly explained. With 'unbounded flush' stores meet checkpoints in progress, and each"
                + " is then copied and swapped. Such a checkpoint does not recover."),
        new Discrepancy(
            "Figures 8, 10 and 12, NVM writes",
            "the text does not say whether the tables' backup counts; the authors' program charges"
                + " its time, 8 bytes an entry, and does not count its bytes",
            "the same; the tables are printed apart",
            "The program. With the tables, writes would fall by 45 % in Figure 12, not by 2 to"
                + " 12."),
        new Discrepancy(
            "Figure 9, Shadow",
            "0.549, 0.641, 0.838 and 0.909 of Ideal DRAM at 64 to 4096 B",
            "0.730, 0.777, 0.892 and 0.903; without a data flush 0.583, 0.673, 0.843 and 0.892",
            "The published Shadow seems not to flush the caches, so its checkpoints would not be"
                + " consistent. Mode paper flushes for every system, mode artifact for none."),
        new Discrepancy(
            "Figure 8, bars of Journal and Shadow; Figure 10",
            "the CPU's part is drawn although Journal and Shadow collect the CPU's writes in DRAM;"
                + " Journal writes 19.0 % (hash) and 14.0 % (tree) less than ThyNVM",
            "all figures count what the caches write back; Journal writes 13.2 % and 18.1 % more"
                + " than ThyNVM",
            "The rule of Figure 8: Journal's bars have 3.2 times the CPU's part, which is 2.2 times"
                + " without it. Figure 10 is not reproduced, since ThyNVM writes 0.59 and 0.75 of"
                + " its bars of Figure 8."),
        new Discrepancy(
            "Figures 7 and 8, Ideal DRAM on 'sliding'",
            "slower than none of the systems",
            "ThyNVM takes 0.960 of its time: lines that the caches fetch and evict lie 2 MB apart,"
                + " in one bank",
            "The plain map of lines to banks. Banks hashed by XOR of the row's bits give 1.082, and"
                + " 1.004 for Ideal NVM where 1.25 is derived; the paper names no hash."));
  }
}
