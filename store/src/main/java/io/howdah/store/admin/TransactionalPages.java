package io.howdah.store.admin;

import io.howdah.checkpoint.PageSource;
import io.howdah.core.StoreClosedException;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.function.LongSupplier;

/**
 * All pages that blocks have ever reached, each read by a transaction: how Hathi takes its
 * checkpoints (Saxena et al., DaMoN 2012, section 4, Algorithm 1).
 *
 * @param usedBytes how far up blocks have ever reached
 * @param words by one transaction for each page
 */
public record TransactionalPages(LongSupplier usedBytes, Words words) implements PageSource {

  /** Copies words by a transaction. */
  public interface Words {

    /**
     * Fills a buffer.
     *
     * @param address of the first word
     */
    void copy(long address, ByteBuffer target);
  }

  private static final int PAGE_BYTES = 4096;

  @Override
  public long next(long fromPage) {
    return fromPage * PAGE_BYTES < usedBytes.getAsLong() ? fromPage : -1;
  }

  @Override
  public void copy(long page, ByteBuffer target) {
    try {
      words.copy(page * PAGE_BYTES, target);
    } catch (StoreClosedException e) {
      throw new CancellationException(e.getMessage());
    }
  }
}
