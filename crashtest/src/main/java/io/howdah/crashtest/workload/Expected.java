package io.howdah.crashtest.workload;

import io.howdah.testkit.crash.CrashKind;
import java.util.List;

/**
 * What a store may hold after a crash.
 *
 * @param afterKill if nothing that was written is lost
 * @param afterLoss if what was not forced may be lost
 */
record Expected(List<Content> afterKill, List<Content> afterLoss) {

  Expected {
    afterKill = List.copyOf(afterKill);
    afterLoss = List.copyOf(afterLoss);
  }

  /** Returns what may be found after a crash of this kind, and after further crashes. */
  Expected after(CrashKind kind) {
    return kind.losesUnforced() ? new Expected(afterLoss, afterLoss) : this;
  }

  /** Returns what is wrong with what was found after the crashes until now, or "". */
  String complaint(Content found) {
    return afterKill.contains(found)
        ? ""
        : "found "
            + found
            + ", which is none of the "
            + afterKill.size()
            + " possible: "
            + afterKill;
  }
}
