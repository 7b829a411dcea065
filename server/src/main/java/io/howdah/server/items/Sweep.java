package io.howdah.server.items;

import io.howdah.Store;
import io.howdah.collections.PersistentMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A way through all items, in no particular order, over and over. Holds nothing between its steps
 * but a place in the map. Thread-safe.
 */
public final class Sweep {

  /** An item that was there when the sweep came by. */
  static final class Seen {
    private final byte[] key;
    private final StoredItem.Header header;

    Seen(byte[] key, StoredItem.Header header) {
      this.key = key;
      this.header = header;
    }

    byte[] key() {
      return key;
    }

    StoredItem.Header header() {
      return header;
    }

    /** Returns whether an item that was found later under the key is the one that was seen. */
    boolean isStill(@Nullable StoredItem found) {
      return found != null
          && found.birth() == header.birth()
          && found.item().expiresAt() == header.expiresAt();
    }
  }

  /** How many items one transaction reads. */
  static final int BATCH = 64;

  /**
   * How many transactions look for the next item: all that a map needs that is not almost empty.
   */
  private static final int MAX_BATCHES = 1 << 10;

  private final Store store;
  private final PersistentMap<byte[], StoredItem.Header> items;
  private final Deque<Seen> ahead = new ArrayDeque<>();
  private long position;

  Sweep(Store store, PersistentMap<byte[], StoredItem.Header> items, long start) {
    this.store = store;
    this.items = items;
    this.position = start;
  }

  /**
   * Returns the next item; null if there is none, or none was found in a long time. Of the items
   * that one transaction reads, those that are gone then come first.
   *
   * @param mark of the last flush
   * @param now the second since 1970
   */
  synchronized @Nullable Seen next(long mark, long now) {
    int ends = 0;
    for (int batches = 0; ahead.isEmpty() && ends < 2 && batches < MAX_BATCHES; batches++) {
      addAhead(batch(), mark, now);
      ends += position == 0 ? 1 : 0;
    }
    return ahead.poll();
  }

  private void addAhead(List<Seen> batch, long mark, long now) {
    for (Seen seen : batch) {
      if (seen.header().isGone(mark, now)) {
        ahead.addFirst(seen);
      } else {
        ahead.addLast(seen);
      }
    }
  }

  /** Returns whether the last batch was the last one of the map. */
  synchronized boolean isAtEnd() {
    return position == 0;
  }

  /** Returns some of the next items; perhaps none where the map is almost empty. */
  List<Seen> batch() {
    return batch(BATCH);
  }

  /** Returns about so many of the next items; perhaps none where the map is almost empty. */
  synchronized List<Seen> batch(int count) {
    List<Seen> seen = new ArrayList<>();
    position =
        store.call(
            ItemTransactions.READS,
            tx -> {
              seen.clear();
              return items.walk(
                  tx, position, count, (key, header) -> seen.add(new Seen(key, header)));
            });
    return seen;
  }
}
