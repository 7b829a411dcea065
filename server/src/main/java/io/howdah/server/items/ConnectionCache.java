package io.howdah.server.items;

import io.howdah.DurableScope;
import io.howdah.server.cache.Cache;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemUpdate;
import io.howdah.server.cache.ItemWalk;
import io.howdah.server.cache.LargeValue;
import io.howdah.server.cache.ValueReader;
import io.howdah.server.cache.ValueWriter;
import io.howdah.server.watch.ConnectionEvents;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All items, as one connection sees them, and what its replies rest on: the commits that it has
 * made, and those that it has read from. For one thread at a time.
 */
public final class ConnectionCache implements Cache {

  private final ItemStore items;
  private final ItemChange change;

  /** Notes what replies rest on; null if they wait for nothing. */
  private final @Nullable DurableScope scope;

  /** What replies wait for, too; null if there is nothing. */
  private final @Nullable Supplier<CompletionStage<@Nullable Void>> confirmation;

  private final ConnectionEvents events;

  private long lsn;

  private final ItemChange.ValueKeeper keeper =
      new ItemChange.ValueKeeper() {
        @Override
        public boolean keeps(LargeValue value) {
          return ConnectionCache.this.keeps(value);
        }

        @Override
        public void keep(LargeValue value) {
          ConnectionCache.this.keep(value);
        }
      };

  /** What the last {@link #find} has found; null if that is over. */
  private @Nullable FoundItems found;

  /** Keeps the large value of the last item readable; null if nobody could read one. */
  private @Nullable ChunkReader kept;

  /** Others may wait behind this connection to read large values. */
  private boolean mayHavePlace;

  ConnectionCache(
      ItemStore items,
      ItemChange change,
      @Nullable DurableScope scope,
      @Nullable Supplier<CompletionStage<@Nullable Void>> confirmation,
      ConnectionEvents events) {
    this.items = items;
    this.change = change;
    this.scope = scope;
    this.confirmation = confirmation;
    this.events = events;
  }

  @Nullable DurableScope scope() {
    return scope;
  }

  ConnectionEvents events() {
    return events;
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
    return confirmation == null && (scope == null || scope.isDurable());
  }

  /**
   * Returns a stage that completes when all that replies until now rest on is as durable as replies
   * promise. It completes in a thread of the store's, or of what confirms them.
   */
  public CompletionStage<@Nullable Void> whenDurable() {
    CompletionStage<@Nullable Void> durable =
        scope == null ? CompletableFuture.completedStage(null) : scope.whenDurable();
    if (confirmation == null) {
      return durable;
    }
    CompletionStage<@Nullable Void> confirmed = confirmation.get();
    CompletableFuture<@Nullable Void> both = new CompletableFuture<>();
    var _ =
        durable.whenComplete(
            (_, failure) -> {
              if (failure == null) {
                var _ = confirmed.whenComplete((_, refusal) -> end(both, refusal));
              } else {
                end(both, failure);
              }
            });
    return both;
  }

  private static void end(CompletableFuture<@Nullable Void> stage, @Nullable Throwable failure) {
    if (failure == null) {
      stage.complete(null);
    } else {
      stage.completeExceptionally(failure);
    }
  }

  @Override
  public long now() {
    return items.now();
  }

  @Override
  public @Nullable Item peek(byte[] key) {
    return items.get(key, this);
  }

  @Override
  public void find(List<byte[]> keys) {
    found = items.find(keys, scope);
  }

  @Override
  public @Nullable Item found(int index) {
    FoundItems last = found;
    if (last == null) {
      throw new IllegalStateException("no items were looked for");
    }
    return kept(last.key(index), items.get(last, index, this));
  }

  @Override
  public @Nullable Item get(byte[] key) {
    return kept(key, items.get(key, this));
  }

  /** Returns an item that was found, or a newer one; its large value is kept readable. */
  private @Nullable Item kept(byte[] key, @Nullable Item found) {
    Item item = found;
    LargeValue large = item == null ? null : item.large();
    while (large != null && !keeps(large)) {
      keep(large);
      item = items.getAgain(key, this); // was it the item's when it was kept?
      LargeValue now = item == null ? null : item.large();
      if (!large.equals(now)) {
        release();
      }
      large = now;
    }
    return item;
  }

  private boolean keeps(LargeValue value) {
    return kept != null && kept.value().equals(value);
  }

  /** Waits for nothing while it keeps a value: so those that wait never wait for each other. */
  private void keep(LargeValue value) {
    release();
    mayHavePlace = true;
    kept = items.values().read(value, this);
    mayHavePlace = false;
  }

  @Override
  public void giveUpPlace() {
    if (mayHavePlace) {
      mayHavePlace = false;
      items.values().giveUpPlace(this);
    }
  }

  @Override
  public ValueReader reader() {
    ChunkReader reader = kept;
    kept = null;
    if (reader == null) {
      throw new IllegalStateException("no item with a large value was read");
    }
    return reader;
  }

  @Override
  public @Nullable ValueWriter writer(int length) {
    return items.values().isLarge(length) ? items.writer(change.newNumber(), length) : null;
  }

  @Override
  public void release() {
    found = null;
    ChunkReader unused = kept;
    kept = null;
    if (unused != null) {
      unused.close();
    }
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
  public @Nullable Item updateAndGet(byte[] key, ItemUpdate update) {
    change.keepWith(keeper);
    return items.update(key, update, change, this);
  }

  @Override
  public void flush(long at) {
    items.flush(at, this);
  }

  @Override
  public ItemWalk walk() {
    return new KeyWalk(items, this);
  }

  @Override
  public void statistics(BiConsumer<String, String> row) {
    items.statistics(row);
  }
}
