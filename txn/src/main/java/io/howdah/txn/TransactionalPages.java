package io.howdah.txn;

import io.howdah.checkpoint.PageSource;
import io.howdah.core.StoreClosedException;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;

/**
 * All pages that blocks have ever reached, each read by a transaction: how Hathi takes its
 * checkpoints (Saxena et al., DaMoN 2012, section 4, Algorithm 1).
 */
record TransactionalPages(Store store) implements PageSource {

  private static final int PAGE_BYTES = 4096;

  @Override
  public long next(long fromPage) {
    return fromPage * PAGE_BYTES < store.usedBytes() ? fromPage : -1;
  }

  @Override
  public void copy(long page, ByteBuffer target) {
    try {
      store.copyWords(page * PAGE_BYTES, target);
    } catch (StoreClosedException e) {
      throw new CancellationException(e.getMessage());
    }
  }
}
