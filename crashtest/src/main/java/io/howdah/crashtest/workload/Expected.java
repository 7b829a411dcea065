package io.howdah.crashtest.workload;

import io.howdah.testkit.crash.CrashKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a store and its backups may hold after a crash.
 *
 * @param afterKill if nothing that was written is lost
 * @param afterLoss if what was not forced may be lost
 * @param copies the backups that were begun, by the step that makes them
 */
record Expected(List<Content> afterKill, List<Content> afterLoss, Map<Long, Copy> copies) {

  /**
   * A backup.
   *
   * @param content that it has if it can be opened
   * @param isFinished whether it must be there; otherwise it may be refused, or nothing
   */
  record Copy(Content content, boolean isFinished) {}

  Expected {
    afterKill = List.copyOf(afterKill);
    afterLoss = List.copyOf(afterLoss);
    copies = Map.copyOf(copies);
  }

  /** Returns what may be found after a crash of this kind, and after further crashes. */
  Expected after(CrashKind kind) {
    return kind.losesUnforced() ? new Expected(afterLoss, afterLoss, copies) : this;
  }

  /** Returns what may be found once an opening of the store has shown something, and has died. */
  Expected afterShowing(List<Content> left) {
    return new Expected(left, left, copies);
  }

  /** Returns what is wrong with what was found after the crashes until now, or "". */
  String complaint(Found found) {
    if (!afterKill.contains(found.content())) {
      return "found "
          + found.content()
          + ", which is none of the "
          + afterKill.size()
          + " possible: "
          + afterKill;
    }
    Map<Long, Content> left = new HashMap<>(found.copies());
    for (Map.Entry<Long, Copy> entry : copies.entrySet()) {
      Content content = left.remove(entry.getKey());
      Copy copy = entry.getValue();
      if (content == null ? copy.isFinished() : !content.equals(copy.content())) {
        return "the backup of step "
            + entry.getKey()
            + (content == null ? " had returned, and is not there" : " holds " + content)
            + "; what it had to copy: "
            + copy.content();
      }
    }
    return left.isEmpty() ? "" : "found backups that nobody has made: " + left;
  }
}
