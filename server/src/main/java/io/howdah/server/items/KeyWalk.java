package io.howdah.server.items;

import io.howdah.server.cache.ItemWalk;
import java.util.ArrayDeque;
import java.util.Queue;

/** A walk through all items for one connection, which reads no values. For one thread at a time. */
final class KeyWalk implements ItemWalk {

  /** How many parts of an almost empty map one call goes through. */
  private static final int MAX_BATCHES = 64;

  /** An item that was there when the walk came by. */
  static final class Seen {
    private final byte[] key;
    private final StoredItem.Facts facts;

    Seen(byte[] key, StoredItem.Facts facts) {
      this.key = key;
      this.facts = facts;
    }
  }

  private final ItemStore items;
  private final ConnectionCache reader;
  private final Queue<Seen> ahead = new ArrayDeque<>();
  private long position;
  private boolean isAtEnd;

  KeyWalk(ItemStore items, ConnectionCache reader) {
    this.items = items;
    this.reader = reader;
  }

  @Override
  public boolean next(int count, Visitor visitor) {
    long now = items.now();
    int shown = 0;
    for (int batches = 0; shown < count && (!ahead.isEmpty() || !isAtEnd); ) {
      Seen next = ahead.poll();
      if (next != null) {
        shown++;
        if (!next.facts.isGone(items.markAt(now), now)) {
          visitor.accept(next.key, next.facts.item());
        }
      } else if (batches++ == MAX_BATCHES) {
        break;
      } else {
        position = items.walk(position, Sweep.BATCH, ahead, reader.scope());
        isAtEnd = position == 0;
      }
    }
    return !ahead.isEmpty() || !isAtEnd;
  }
}
