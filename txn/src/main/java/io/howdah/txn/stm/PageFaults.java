package io.howdah.txn.stm;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.words.WriteSet;
import io.howdah.txn.words.WrittenRows;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Turns a fault of memory into the exception for a transaction: a page of the region could not be
 * read or written. The transaction has not happened; the exception's type and message say why and
 * name file and page. The store continues unless the file under the region was truncated, since
 * then pages are lost for good (docs/durability.md).
 *
 * <p>Thread-safe.
 */
final class PageFaults {

  /** Number of pages beyond the last block that an allocation may have been about to use. */
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
   * Returns what to throw instead of an error.
   *
   * @param attempt whose transaction has not happened
   * @throws InternalError the error itself, if it is no fault of memory
   */
  RuntimeException of(InternalError thrown, Attempt attempt) {
    if (!Region.isFault(thrown)) {
      throw thrown;
    }
    RuntimeException told = (RuntimeException) region.explained(thrown, suspects(attempt));
    if (told instanceof CorruptStoreException) {
      fatal.accept(told);
      return new StoreFailedException(
          "the store stopped, and this transaction did not happen: " + told.getMessage(), told);
    }
    return told;
  }

  /** Returns the addresses where a fault may have been; one that came late does not say where. */
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
      return 0; // the page of the header itself, which is tried then
    }
  }
}
