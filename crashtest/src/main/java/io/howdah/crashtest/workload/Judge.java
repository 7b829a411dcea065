package io.howdah.crashtest.workload;

import io.howdah.Store;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.Machine;
import io.howdah.txn.TxOptions;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Opens what a crash left, looks at all of it, adds an entry, closes, opens again and looks again.
 * Then opens the backups. What it does is a function of the disk alone. It may die; then it knows
 * how far it came. For one thread.
 */
final class Judge {

  private static final long NEW_KEY = -1;
  private static final String NEW = "new";

  private @Nullable Content found;
  private boolean adding;
  private boolean added;
  private @Nullable Map<Long, Content> copies;

  void check(Machine machine) {
    Content shown;
    try (Store store = SmallWorkload.open(machine)) {
      Session session = new Session(store);
      shown = session.content();
      found = shown;
      // It takes new work, and has it after the next opening.
      adding = true;
      session.store.run(TxOptions.sync(), tx -> session.map.put(tx, NEW_KEY, NEW));
      added = true;
    }
    try (Store store = SmallWorkload.open(machine)) {
      Content again = new Session(store).content();
      if (!again.equals(withNew(shown))) {
        throw new Violation("after a clean close: " + again + ", before it: " + shown);
      }
    }
    copies = Copies.open(machine);
  }

  private static Content withNew(Content content) {
    return content.put(NEW_KEY, 1, NEW);
  }

  /** Returns what the first opening showed, and the backups. */
  Found found() {
    if (found == null || copies == null) {
      throw new IllegalStateException("not all was looked at");
    }
    return new Found(found, copies);
  }

  /**
   * Returns what may be found after this judge has died: what an opening has shown stays.
   *
   * @param before what might be found by this judge
   */
  Expected expected(Expected before) {
    Content shown = found;
    if (shown == null) {
      return before;
    }
    List<Content> left =
        added ? List.of(withNew(shown)) : adding ? List.of(shown, withNew(shown)) : List.of(shown);
    return before.afterShowing(left);
  }
}
