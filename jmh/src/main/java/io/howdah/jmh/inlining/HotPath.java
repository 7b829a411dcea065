package io.howdah.jmh.inlining;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The hot paths of the engine, each with the calls that decide how long it is. */
public enum HotPath {
  /**
   * A program reads a word. A call in here makes the processor see fewer of the following words, so
   * that their cache misses no longer overlap.
   */
  READ_A_WORD(
      "TxHandle.getLong",
      inlined("TxHandle.getLong", "TxHandle.live", "Words.get"),
      inlined("Words.get", "Words.requireWord", "Words.getUnchecked"),
      inlined(
          "Words.getUnchecked",
          "OrecTable.of",
          "WriteSet.isInFilter",
          "OrecTable.getAcquire",
          "SegmentRegion.getLongOpaque",
          "OrecTable.getOpaque",
          "ReadSet.add"),
      calls("Words.getUnchecked", "Words.getContended"),
      // What it does; it first calls itself more often than the compiler inlines that.
      calls("Words.getSlowly", "WriteSet.find")),

  /** A program writes a word. */
  WRITE_A_WORD(
      "TxHandle.putLong",
      inlined("TxHandle.putLong", "TxHandle.live", "Words.put"),
      inlined("Words.put", "Words.requireWord", "Words.putUnchecked"),
      inlined("Words.putUnchecked", "OrecTable.of", "WriteSet.append"),
      calls("Words.putSlowly", "WriteSet.put")),

  /** A program reads many words with one call. */
  READ_MANY_WORDS(
      null,
      inlined(
          "Words.getAtOnce",
          "Words.noteOrecs",
          "Words.noteSeen",
          "SegmentRegion.getLongs",
          "Words.countValid")),

  /** The stores of a commit, and what it does while it holds its locks. */
  COMMIT(
      null,
      // A unit of its own: within its callers there are too many calls to inline them all.
      calls("Committer.commitInOneRecord", "Committer.commitLocked"),
      inlined("Committer.commitLocked", "WriteSet.storeTo", "Committer.markDirty"),
      inlined("Committer.markDirty", "DirtyPages.pageOf", "DirtyPages.markIn"),
      inlined("OrecLocks.lockAll", "OrecLocks.lock"),
      inlined("RecordWriter.putEntries", "Lane.put"),
      inlined("Lane.publish", "Lane.movePendingToRing", "Ring.publish"),
      calls("Lane.put", "RecordChecksum.add"));

  private final @Nullable String entry;

  @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable copy
  private final List<HotCall> calls;

  /**
   * Creates a path.
   *
   * @param entry what the program calls: only methods that call it count; null for all
   */
  @SafeVarargs
  HotPath(@Nullable String entry, List<HotCall>... calls) {
    this.entry = entry;
    List<HotCall> all = new ArrayList<>();
    for (List<HotCall> some : calls) {
      all.addAll(some);
    }
    this.calls = List.copyOf(all);
  }

  private static List<HotCall> inlined(String caller, String... callees) {
    return expected(caller, true, callees);
  }

  private static List<HotCall> calls(String caller, String... callees) {
    return expected(caller, false, callees);
  }

  private static List<HotCall> expected(String caller, boolean isInlined, String... callees) {
    List<HotCall> expected = new ArrayList<>();
    for (String callee : callees) {
      expected.add(new HotCall(caller, callee, isInlined));
    }
    return expected;
  }

  /** Returns the calls that belong to it. */
  public List<HotCall> calls() {
    return calls;
  }

  /**
   * Judges all its calls.
   *
   * @param program class whose methods run the path, without package
   * @param decisions of all methods that were compiled
   */
  List<HotCall.Verdict> judge(String program, List<Decision> decisions) {
    List<HotCall.Verdict> verdicts = new ArrayList<>();
    List<Decision> own = decisions;
    if (entry != null) {
      List<String> units =
          decisions.stream()
              .filter(
                  each -> each.callee().equals(entry) && each.caller().startsWith(program + "."))
              .map(Decision::unit)
              .distinct()
              .toList();
      own = decisions.stream().filter(each -> units.contains(each.unit())).toList();
      for (Decision decision : own) {
        if (decision.callee().equals(entry) && decision.caller().startsWith(program + ".")) {
          HotCall call = new HotCall(decision.caller(), entry, true);
          verdicts.add(call.judge(own));
        }
      }
    }
    for (HotCall call : calls) {
      verdicts.add(call.judge(own));
    }
    return verdicts.stream().distinct().toList();
  }
}
