package io.howdah.server.items;

import io.howdah.DurableScope;
import io.howdah.server.cache.Cache;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemUpdate;
import io.howdah.server.cache.ItemWalk;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * All items, as one connection sees them, and what its replies rest on: the commits that it has
 * made, and those that it has read from. For one thread at a time.
 */
public final class ConnectionCache implements Cache {

  /** How many parts of an almost empty map one call of a walk goes through. */
  private static final int MAX_BATCHES = 64;

  private final ItemStore items;
  private final ItemChange change;

  /** Notes what replies rest on; null if they wait for nothing. */
  private final @Nullable DurableScope scope;

  private long lsn;

  ConnectionCache(ItemStore items, ItemChange change, @Nullable DurableScope scope) {
    this.items = items;
    this.change = change;
    this.scope = scope;
  }

  @Nullable DurableScope scope() {
    return scope;
  }

  void committed(long lsn) {
    this.lsn = Math.max(this.lsn, lsn);
  }

  /** Returns the LSN of the newest commit that this connection has made; 0 for none. */
  long lsn() {
    return lsn;
  }

  /** Returns whether all that replies until now rest on is as durable as replies promise. */
  public boolean isDurable() {
    return scope == null || scope.isDurable();
  }

  /**
   * Returns a stage that completes when all that replies until now rest on is as durable as replies
   * promise. It completes in a thread of the store's.
   */
  public CompletionStage<@Nullable Void> whenDurable() {
    return scope == null ? CompletableFuture.completedStage(null) : scope.whenDurable();
  }

  @Override
  public long now() {
    return items.now();
  }

  @Override
  public @Nullable Item get(byte[] key) {
    return items.get(key, this);
  }

  @Override
  public void accessed(byte[] key) {
    items.recency().read(key, items.now());
  }

  @Override
  public long lastUse(byte[] key) {
    return items.recency().lastUse(key);
  }

  @Override
  public boolean isFetched(byte[] key) {
    return items.recency().isFetched(key);
  }

  @Override
  public @Nullable Item update(byte[] key, ItemUpdate update) {
    return items.update(key, update, change, this);
  }

  @Override
  public void flush(long at) {
    items.flush(at, this);
  }

  @Override
  public ItemWalk walk() {
    Sweep sweep = items.sweepFromTheBeginning();
    Queue<Sweep.Seen> ahead = new ArrayDeque<>();
    boolean[] hasBegun = {false};
    return (count, visitor) -> {
      int batches = 0;
      for (int shown = 0; shown < count; ) {
        Sweep.Seen next = ahead.poll();
        if (next != null) {
          shown++;
          Item item = get(next.key());
          if (item != null) {
            visitor.accept(next.key(), item);
          }
        } else if ((hasBegun[0] && sweep.isAtEnd()) || batches++ == MAX_BATCHES) {
          break;
        } else {
          hasBegun[0] = true;
          ahead.addAll(sweep.batch());
        }
      }
      return !ahead.isEmpty() || !hasBegun[0] || !sweep.isAtEnd();
    };
  }

  @Override
  public void statistics(BiConsumer<String, String> row) {
    items.statistics(row);
  }
}
