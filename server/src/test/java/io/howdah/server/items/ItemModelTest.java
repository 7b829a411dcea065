package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemWalk;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Items that are put, changed, touched, removed, that expire and are flushed, beside a model: what
 * each read gives, what a walk in pieces of any length shows, and the figures.
 */
final class ItemModelTest {

  private static final int STEPS = 4_000;

  private long now = 1_700_000_000;
  private final Map<String, Item> model = new TreeMap<>();
  private long reads;
  private long misses;

  private ItemStore items(Store store) {
    return new ItemStore(store, new ItemStoreOptions(16 << 20, true, null, () -> now));
  }

  @ParameterizedTest
  @CsvSource({"1,10", "2,400", "3,2000"})
  void eachItemIsAsTheModelHasIt(int seed, int keys) {
    Random random = new Random(seed);
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(32 << 20))) {
      ItemStore items = items(store);
      ConnectionCache cache = items.connect();
      for (int i = 0; i < STEPS; i++) {
        String name = "key" + random.nextInt(keys);
        byte[] key = bytes(name);
        long expiresAt = random.nextInt(3) == 0 ? now + 1 + random.nextInt(20) : Expiry.NEVER;
        switch (random.nextInt(12)) {
          case 0 -> now += random.nextInt(4);
          case 1 -> {
            cache.update(key, _ -> null);
            model.remove(name);
          }
          case 2 -> change(cache, name, expiresAt, false);
          case 3 -> change(cache, name, expiresAt, true);
          case 4 -> {
            if (random.nextInt(100) == 0) {
              cache.flush(now);
              model.clear();
            }
          }
          case 5 -> items.reclaim(items.sweep(), 1 + random.nextInt(50));
          default -> {
            byte[] value = new byte[random.nextInt(random.nextInt(8) == 0 ? 3_000 : 60)];
            random.nextBytes(value);
            Item item = new Item(random.nextInt(), expiresAt, Item.NEW_CAS, 0, value);
            Item stored = cache.update(key, _ -> item);
            assertThat(stored).isNotNull();
            model.put(name, stored);
          }
        }
        model.values().removeIf(item -> item.isExpired(now));
        requireSame(cache, name);
        if (i % 100 == 0) {
          requireWalk(cache, 1 + random.nextInt(keys));
          long live = model.values().stream().mapToLong(Item::valueBytes).sum();
          assertThat(items.bytes()).isGreaterThanOrEqualTo(live);
          if (i % 1000 == 0) {
            items = items(store); // as after a restart
            cache = items.connect();
          }
        }
      }
      for (int k = 0; k < keys; k++) {
        cache.update(bytes("key" + k), _ -> null);
      }
      Map<String, String> rows = new HashMap<>();
      items.statistics(rows::put);
      assertThat(rows).containsEntry("curr_items", "0").containsEntry("bytes", "0");
    }
  }

  private void change(ConnectionCache cache, String name, long expiresAt, boolean appends) {
    Item[] result = {null};
    cache.update(
        bytes(name),
        found -> {
          result[0] =
              found == null
                  ? null
                  : appends
                      ? found.withValue(
                          Arrays.copyOf(found.value(), found.valueBytes() + 7), Item.NEW_CAS)
                      : found.withExpiry(expiresAt);
          return result[0];
        });
    Item former = model.get(name);
    assertThat(result[0] == null).isEqualTo(former == null);
    if (former != null) {
      Item now = cache.get(bytes(name));
      assertThat(now).isNotNull();
      assertThat(now.cas() == former.cas()).as("a touch keeps the CAS value").isEqualTo(!appends);
      model.put(
          name,
          appends
              ? former.withValue(Arrays.copyOf(former.value(), former.valueBytes() + 7), now.cas())
              : former.withExpiry(expiresAt));
    }
  }

  private void requireSame(ConnectionCache cache, String name) {
    Item found = cache.get(bytes(name));
    Item expected = model.get(name);
    reads++;
    misses += expected == null ? 1 : 0;
    assertThat(found == null)
        .as("%s after %s reads, %s misses", name, reads, misses)
        .isEqualTo(expected == null);
    if (found != null && expected != null) {
      assertThat(found.value()).isEqualTo(expected.value());
      assertThat(found.flags()).isEqualTo(expected.flags());
      assertThat(found.expiresAt()).isEqualTo(expected.expiresAt());
      assertThat(found.cas()).isEqualTo(expected.cas());
    }
  }

  private void requireWalk(ConnectionCache cache, int piece) {
    List<String> seen = new ArrayList<>();
    ItemWalk walk = cache.walk();
    boolean isMore = true;
    while (isMore) {
      isMore =
          walk.next(
              piece,
              (key, facts) -> {
                String name = new String(key, StandardCharsets.UTF_8);
                Item item = model.get(name);
                seen.add(name);
                assertThat(item).isNotNull();
                assertThat(facts.valueBytes()).isEqualTo(item.valueBytes());
                assertThat(facts.expiresAt()).isEqualTo(item.expiresAt());
              });
    }
    assertThat(seen).doesNotHaveDuplicates();
    assertThat(new TreeSet<>(seen)).isEqualTo(new TreeSet<>(model.keySet()));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
