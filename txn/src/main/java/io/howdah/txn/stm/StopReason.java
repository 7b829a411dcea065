package io.howdah.txn.stm;

import io.howdah.core.HowdahException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import org.jspecify.annotations.Nullable;

/** Creates the exception of a call to a store that was closed or has stopped after a failure. */
public final class StopReason {

  private StopReason() {}

  /**
   * Returns the exception for a call.
   *
   * @param failure the cause of the store's failure; null if it was closed
   */
  public static HowdahException of(@Nullable Throwable failure) {
    return failure == null ? new StoreClosedException("the store is closed") : failed("", failure);
  }

  /**
   * Returns the exception for a call that was running when the store stopped.
   *
   * @param failure the cause of the store's failure; null if it was closed
   * @param outcome the outcome of the call, for the message
   * @param thrown the exception that the call got from released memory, or null
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
