package io.howdah.txn.stm;

import org.jspecify.annotations.Nullable;

/**
 * Why a store stopped: the thread of a commit had no stack or memory left, neither to finish the
 * commit nor to undo it. One is made for each context, before it is needed; then a thread needs to
 * set fields only, which cannot fail.
 */
final class BrokenOffException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient CommitProgress progress;

  /** What was thrown into the commit; null until then. */
  @Nullable Throwable thrown;

  BrokenOffException(CommitProgress progress) {
    super(null, null, true, false);
    this.progress = progress;
  }

  @Override
  public String getMessage() {
    return "a commit broke off and its thread could not repair it (context "
        + progress.home
        + ", "
        + progress.describe(null)
        + "): "
        + thrown;
  }

  @Override
  public synchronized @Nullable Throwable getCause() {
    return thrown;
  }
}
