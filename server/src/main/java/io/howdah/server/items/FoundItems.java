package io.howdah.server.items;

import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The items under several keys, gone or not, as one transaction has found them. */
final class FoundItems implements BiConsumer<byte[], @Nullable StoredItem> {

  private final List<byte[]> keys;
  private final @Nullable StoredItem[] items;
  private final long mark;
  private final long now;
  private int count;

  /**
   * Makes one without items.
   *
   * @param mark of the last flush, read before the transaction
   * @param now in seconds since 1970
   */
  FoundItems(List<byte[]> keys, long mark, long now) {
    this.keys = keys;
    this.items = new StoredItem[keys.size()];
    this.mark = mark;
    this.now = now;
  }

  /** Forgets what an attempt of the transaction has found. */
  void begin() {
    count = 0;
  }

  @Override
  public void accept(byte[] key, @Nullable StoredItem item) {
    items[count++] = item;
  }

  byte[] key(int index) {
    return keys.get(index);
  }

  @Nullable StoredItem item(int index) {
    return items[index];
  }

  long mark() {
    return mark;
  }

  long now() {
    return now;
  }
}
