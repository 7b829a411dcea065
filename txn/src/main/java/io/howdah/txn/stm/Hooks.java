package io.howdah.txn.stm;

import io.howdah.core.report.LateLogger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hooks of one attempt: for its commit, for the commit's stability, and for an abort. The body
 * adds them. They run after the release of the last orec and the acknowledgement of the outcome.
 * Not thread-safe.
 */
public final class Hooks {

  private static final LateLogger LOGGER = new LateLogger("io.howdah.txn");

  static final int MAX_HOOKS = (1 << 20) - 1;

  private final List<Runnable> onCommit = new ArrayList<>();
  private final List<Runnable> onStable = new ArrayList<>();
  private final List<Runnable> onAbort = new ArrayList<>();

  void onCommit(Runnable hook) {
    add(onCommit, hook);
  }

  void onStable(Runnable hook) {
    add(onStable, hook);
  }

  void onAbort(Runnable hook) {
    add(onAbort, hook);
  }

  /** Returns a position for {@link #rollBack}. */
  long position() {
    return (long) onCommit.size() << 40 | (long) onStable.size() << 20 | onAbort.size();
  }

  /** Drops the hooks that were added after a position. */
  void rollBack(long position) {
    truncate(onCommit, (int) (position >>> 40));
    truncate(onStable, (int) (position >>> 20) & MAX_HOOKS);
    truncate(onAbort, (int) position & MAX_HOOKS);
  }

  private static void truncate(List<Runnable> hooks, int size) {
    hooks.subList(size, hooks.size()).clear();
  }

  private static void add(List<Runnable> hooks, Runnable hook) {
    if (hooks.size() == MAX_HOOKS) {
      throw new IllegalStateException(
          "a transaction has at most " + MAX_HOOKS + " hooks of a kind");
    }
    hooks.add(hook);
  }

  /** Returns whether there are hooks for the commit's stability. */
  public boolean awaitsStability() {
    return !onStable.isEmpty();
  }

  public void committed() {
    runAll(onCommit);
  }

  public void stable() {
    runAll(onStable);
  }

  public void aborted() {
    runAll(onAbort);
  }

  /**
   * Runs hooks. The transaction has its outcome, so a hook's exception is logged and not thrown.
   */
  private static void runAll(List<Runnable> hooks) {
    for (Runnable hook : hooks) {
      try {
        hook.run();
      } catch (Throwable t) {
        log(System.Logger.Level.WARNING, "a transaction's hook failed", t);
      }
    }
  }

  /** Logs a message, if there is enough memory. */
  @SuppressWarnings("EmptyCatch") // a failure of the logger must not fail the transaction
  public static void log(System.Logger.Level level, String message, @Nullable Throwable thrown) {
    try {
      LOGGER.get().log(level, message, thrown);
    } catch (Throwable t) {
      // The message is lost.
    }
  }
}
