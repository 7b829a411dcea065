package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemUpdate;
import io.howdah.server.cache.ItemWalk;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A cache on the Java heap, with a clock that stands still unless it is moved. */
public final class HeapCache implements Cache {

  private final Map<ByteBuffer, Item> items = new HashMap<>();
  private final Map<ByteBuffer, Long> uses = new HashMap<>();
  private final Set<ByteBuffer> fetched = new HashSet<>();
  private List<byte[]> lookedFor = List.of();
  private long nextCas = 1;
  public long now = 1_700_000_000;
  public boolean isFull;

  @Override
  public long now() {
    return now;
  }

  @Override
  public @Nullable Item get(byte[] key) {
    Item item = items.get(ByteBuffer.wrap(key));
    return item == null || item.isExpired(now) ? null : item;
  }

  @Override
  public void find(List<byte[]> keys) {
    lookedFor = keys;
  }

  @Override
  public @Nullable Item found(int index) {
    return get(lookedFor.get(index));
  }

  @Override
  public void accessed(byte[] key) {
    uses.put(ByteBuffer.wrap(key.clone()), now);
    fetched.add(ByteBuffer.wrap(key.clone()));
  }

  @Override
  public long lastUse(byte[] key) {
    return uses.getOrDefault(ByteBuffer.wrap(key), now);
  }

  @Override
  public boolean isFetched(byte[] key) {
    return fetched.contains(ByteBuffer.wrap(key));
  }

  @Override
  public @Nullable Item update(byte[] key, ItemUpdate update) {
    Item current = get(key);
    Item item = update.apply(current);
    if (item == current) {
      return item;
    }
    ByteBuffer at = ByteBuffer.wrap(key.clone());
    if (item == null) {
      items.remove(at);
      return null;
    }
    if (isFull) {
      throw new CacheFullException("full");
    }
    if (item.cas() == Item.NEW_CAS) {
      item = item.withCas(nextCas++);
    }
    if (current == null || !item.keepsValueOf(current)) {
      uses.put(at, now);
      if (!item.isChangedInPlace()) {
        fetched.remove(at);
      }
    }
    items.put(at, item);
    return item;
  }

  @Override
  public void flush(long at) {
    if (at <= now) {
      items.clear();
    }
  }

  @Override
  public ItemWalk walk() {
    Iterator<ByteBuffer> keys = List.copyOf(items.keySet()).iterator();
    return (count, visitor) -> {
      for (int i = 0; i < count && keys.hasNext(); i++) {
        byte[] key = keys.next().array();
        Item item = get(key);
        if (item != null) {
          visitor.accept(key, item.facts());
        }
      }
      return keys.hasNext();
    };
  }

  @Override
  public void statistics(BiConsumer<String, String> row) {
    row.accept("curr_items", Integer.toString(items.size()));
  }
}
