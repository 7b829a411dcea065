package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Flushes at once and at a later time, several of them in a row, between writes, reads, sweeps,
 * restarts and steps of time, beside a model: a flush takes what is there at its time, and the
 * newest one takes the place of one that is still to come.
 */
final class FlushModelTest {

  private static final int STEPS = 3_000;
  private static final int KEYS = 6;

  private long now = 1_700_000_000;

  private ItemStore items(Store store) {
    return new ItemStore(store, new ItemStoreOptions(16 << 20, true, null, () -> now));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void eachItemIsThereAsTheModelSays(int seed) {
    Random random = new Random(seed);
    Map<String, String> model = new TreeMap<>();
    List<String> history = new ArrayList<>();
    long due = 0;
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(32 << 20))) {
      ItemStore items = items(store);
      ConnectionCache cache = items.connect();
      for (int i = 0; i < STEPS; i++) {
        String key = "key" + random.nextInt(KEYS);
        String step;
        switch (random.nextInt(10)) {
          case 0 -> {
            step = "flush";
            cache.flush(now);
            model.clear();
            due = 0;
          }
          case 1 -> {
            due = now + 1 + random.nextInt(5);
            step = "flush at " + due;
            cache.flush(due);
          }
          case 2, 3 -> {
            now += random.nextInt(4);
            step = "it is " + now;
          }
          case 4 -> {
            step = "restart";
            items = items(store);
            cache = items.connect();
          }
          case 5 -> {
            step = "sweep";
            items.reclaim(items.sweep(), 1 + random.nextInt(20));
          }
          default -> {
            if (due != 0 && due <= now) {
              model.clear();
              due = 0;
            }
            String value = "value " + i;
            step = "put " + key + " at " + now;
            cache.update(bytes(key), _ -> item(value));
            model.put(key, value);
          }
        }
        history.add(step);
        if (due != 0 && due <= now) {
          model.clear();
          due = 0;
        }
        for (int k = 0; k < KEYS; k++) {
          String name = "key" + k;
          Item found = cache.get(bytes(name));
          assertThat(found == null ? null : new String(found.value(), StandardCharsets.UTF_8))
              .as("%s of %s", name, history.subList(Math.max(0, i - 15), i + 1))
              .isEqualTo(model.get(name));
        }
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Item item(String value) {
    return new Item(0, Expiry.NEVER, Item.NEW_CAS, 0, bytes(value));
  }
}
