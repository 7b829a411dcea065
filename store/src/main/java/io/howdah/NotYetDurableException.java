package io.howdah;

import io.howdah.core.HowdahException;
import io.howdah.log.report.LogStall;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A wait for durability took longer than {@link StoreOptions#durabilityTimeout} or the
 * transaction's {@linkplain TxOptions#withTimeLimit time limit} allows, as on a full disk. <b>The
 * transaction has committed:</b> others see what it wrote, it survives a kill of the process, and
 * it becomes durable by itself once the log makes progress again; until then a power cut may lose
 * it. So it must not be run again. A transaction that wrote nothing gets this exception too, if
 * what it has read is not durable yet.
 *
 * <p>To wait on, call {@link StoreDurability#awaitStable}, {@link Receipt#await} of {@link
 * #receipt}, or {@link Receipt#whenStable}. {@link Store#close} forces what can be forced, and says
 * if something could not be. {@link StoreStats#stall} and the message say what the log waits for.
 * To read what is not durable without waiting, read with {@link Durability#ASYNC}.
 */
public final class NotYetDurableException extends HowdahException {

  private static final long serialVersionUID = 1L;

  private static final String WITHOUT_MEMORY =
      "the transaction has committed and is not durable yet in its mode, and there is no memory or"
          + " stack to say more; wait with receipt().await, or close the store. Do not run it again:"
          + " it becomes durable without another call when the log continues";

  private final transient Supplier<Receipt<?>> receipt;

  private NotYetDurableException(String message, Receipt<?> receipt) {
    super(message);
    this.receipt = () -> receipt;
  }

  /** One without a stack trace, which takes memory. */
  private NotYetDurableException(Supplier<Receipt<?>> receipt) {
    super(WITHOUT_MEMORY, null, false, false);
    this.receipt = receipt;
  }

  /**
   * Makes one early, to be thrown when there is no memory for another. It cannot hold a receipt of
   * one transaction, so it makes one of all commits until it is asked.
   *
   * @param newest makes a receipt of all commits
   */
  static NotYetDurableException withoutMemory(Supplier<Receipt<?>> newest) {
    return new NotYetDurableException(newest);
  }

  /** Returns a small one for a receipt; this one if there is none, or no memory for that either. */
  NotYetDurableException of(@Nullable Receipt<?> receipt) {
    try {
      return receipt == null ? this : new NotYetDurableException(() -> receipt);
    } catch (VirtualMachineError e) {
      return this;
    }
  }

  /** What the wait was for. */
  enum Subject {
    /** A transaction that has written. */
    TRANSACTION,
    /** Several transactions. */
    SCOPE,
    /** What has been read, or an LSN that was named. */
    LSN
  }

  /** Makes the one for a wait that has ended. */
  static NotYetDurableException of(
      Receipt<?> receipt, Subject subject, Durability durability, long nanos, LogStall why) {
    long lsn = receipt.lsn();
    String what =
        switch (subject) {
          case TRANSACTION -> "the transaction has committed with LSN " + lsn + " and is";
          case SCOPE -> "the transactions have committed, the last with LSN " + lsn + ", and are";
          case LSN -> "what depends on LSN " + lsn + " is";
        };
    String otherwise =
        subject == Subject.LSN
            ? "), or read with Durability.ASYNC, which does not wait"
            : "), or close the store. Do not run it again: it becomes durable without another call when the log continues";
    return new NotYetDurableException(
        what
            + " not durable yet in mode "
            + durability
            + ", after a wait of "
            + nanos / 1_000_000
            + " ms: "
            + why.describe()
            + "; wait with durability().awaitStable("
            + lsn
            + otherwise,
        receipt);
  }

  /** Returns the LSN that is not durable yet; see {@link Receipt#lsn}. */
  public long lsn() {
    return receipt.get().lsn();
  }

  /**
   * Returns the receipt of the transaction, with its body's result, as {@link
   * Store#callWithReceipt} would have returned it. Where the wait was for more than one
   * transaction, or of a method that runs no body, the receipt has no result. Neither has it if
   * there was no memory for one when the wait ended: then it is made by this call, for all commits
   * until now.
   */
  public Receipt<? extends @Nullable Object> receipt() {
    return receipt.get();
  }
}
