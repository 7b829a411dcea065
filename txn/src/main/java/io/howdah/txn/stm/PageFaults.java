package io.howdah.txn.stm;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.words.NodeWrites;
import io.howdah.txn.words.WriteSet;
import io.howdah.txn.words.WrittenRows;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Converts a memory fault into the exception of a transaction. A fault means that a page of the
 * region could not be read or written. The transaction has had no effect. The exception's type and
 * message state the cause, the file and the page. The store continues, unless the file of the
 * region was truncated, which loses pages permanently (docs/durability.md).
 *
 * <p>Thread-safe.
 */
final class PageFaults {

  /** Number of pages after the last block that an allocation may have touched. */
  private static final int PAGES_BEYOND = 16;

  private static final long PAGE_BYTES = 4096;
  private static final int MAX_SUSPECTS = 4096;

  private final Region region;
  private final Consumer<Throwable> fatal;

  /**
   * Creates the page faults of a store.
   *
   * @param fatal stops the store
   */
  PageFaults(Region region, Consumer<Throwable> fatal) {
    this.region = region;
    this.fatal = fatal;
  }

  /**
   * Returns the exception to throw instead of an error.
   *
   * @param attempt the attempt of the transaction, which has had no effect
   * @throws InternalError {@code thrown} itself, if it is not a memory fault
   */
  RuntimeException of(InternalError thrown, Attempt attempt) {
    if (!Region.isFault(thrown)) {
      throw thrown;
    }
    RuntimeException explained = (RuntimeException) region.explained(thrown, suspects(attempt));
    if (explained instanceof CorruptStoreException) {
      fatal.accept(explained);
      return new StoreFailedException(
          "the store stopped, and this transaction had no effect: " + explained.getMessage(),
          explained);
    }
    return explained;
  }

  /** Returns possible addresses of the fault; a fault that is thrown late has no address. */
  private long[] suspects(Attempt attempt) {
    WriteSet writes = attempt.words.writes;
    long[] suspects = new long[MAX_SUSPECTS + PAGES_BEYOND];
    int written = 0;
    WrittenRows rows = writes.rows();
    for (int row = 0; row < rows.end() && written < MAX_SUSPECTS; row = rows.next(row)) {
      for (long a = rows.address(row) & -PAGE_BYTES;
          a < rows.endAddress(row) && written < MAX_SUSPECTS;
          a += PAGE_BYTES) {
        suspects[written++] = a;
      }
    }
    NodeWrites nodes = attempt.words.nodeWrites;
    for (int i = nodes.count() - 1; i >= 0 && written < MAX_SUSPECTS; i--) {
      suspects[written++] = nodes.address(i); // a node is in one page
    }
    for (int i = writes.singles() - 1; i >= 0 && written < MAX_SUSPECTS; i--) {
      suspects[written++] = writes.address(i);
    }
    long top = top();
    for (int i = 0; i < PAGES_BEYOND; i++) {
      suspects[written + i] = top + i * PAGE_BYTES;
    }
    return Arrays.copyOf(suspects, written + PAGES_BEYOND);
  }

  private long top() {
    try {
      return region.getLongOpaque(RegionHeaderLayout.TOP_ADDRESS);
    } catch (InternalError e) {
      return 0; // the fault is in the page of the header, whose address is 0
    }
  }
}
