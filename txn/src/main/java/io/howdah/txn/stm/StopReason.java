package io.howdah.txn.stm;

import io.howdah.core.HowdahException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import org.jspecify.annotations.Nullable;

/** Says why a store ends or refuses a call: it was closed, or it has stopped after a failure. */
public final class StopReason {

  private StopReason() {}

  /**
   * Returns the exception for a call.
   *
   * @param failure why the store has stopped; null if it was closed
   */
  public static HowdahException of(@Nullable Throwable failure) {
    return failure == null ? new StoreClosedException("the store is closed") : failed("", failure);
  }

  /**
   * Returns the exception for a call that was under way when the store stopped.
   *
   * @param failure why the store has stopped; null if it was closed
   * @param outcome what that means for the call
   * @param thrown what the call met in a store that was closed, or null
   */
  public static HowdahException of(
      @Nullable Throwable failure, String outcome, @Nullable Throwable thrown) {
    if (failure != null) {
      return failed(outcome + "; ", failure);
    }
    String message = "the store was closed during this call: " + outcome;
    return thrown == null
        ? new StoreClosedException(message)
        : new StoreClosedException(message, thrown);
  }

  private static HowdahException failed(String outcome, Throwable failure) {
    return new StoreFailedException(
        "the store stopped after a failure; "
            + outcome
            + "close it and open it again to recover every acknowledged commit: "
            + failure,
        failure);
  }
}
