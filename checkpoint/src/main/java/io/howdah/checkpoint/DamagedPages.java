package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import org.jspecify.annotations.Nullable;

/** Collects the damaged pages of an image, to report all of them in one exception. */
final class DamagedPages implements PageDamage {

  private static final int MAX_RANGES = 16;

  private final StringBuilder ranges = new StringBuilder();
  private @Nullable CorruptStoreException first;
  private long count;
  private int rangeCount;
  private long rangeFrom;
  private long last = -2;

  @Override
  public void accept(long page, CorruptStoreException damage) {
    if (first == null) {
      first = damage;
    }
    count++;
    if (page != last + 1) {
      endRange();
      rangeFrom = page;
    }
    last = page;
  }

  private void endRange() {
    if (last < 0 || ++rangeCount > MAX_RANGES) {
      return;
    }
    ranges
        .append(ranges.isEmpty() ? "" : ", ")
        .append(rangeFrom)
        .append(last > rangeFrom ? "-" + last : "");
  }

  /**
   * Ends the collection.
   *
   * @throws CorruptStoreException if there was a damaged page; its message lists them
   */
  void throwIfAny() {
    CorruptStoreException damage = first;
    if (damage == null) {
      return;
    }
    endRange();
    CorruptStoreException all =
        new CorruptStoreException(
            damage.file(),
            damage.offset(),
            count
                + (count == 1 ? " page is damaged: " : " pages are damaged: ")
                + ranges
                + (rangeCount > MAX_RANGES ? " and more" : "")
                + "; an opening that does not verify the image verifies only a few pages, and"
                + " reads the damage of others as data; restore the store from a backup");
    all.initCause(damage);
    throw all;
  }
}
