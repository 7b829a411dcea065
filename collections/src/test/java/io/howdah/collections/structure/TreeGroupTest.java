package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.txn.Savepoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Operations on many keys go to leaves that were found before, and find the same as single ones.
 */
final class TreeGroupTest {

  private static final long SEED = Long.getLong("howdah.seed", 3);
  private static final int KEYS = 4000;

  private final WordStore store =
      WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 26).withPartitions(2));
  private final PersistentSortedMap<Long, String> words =
      store.sortedMap("words", Codec.int64(), Codec.utf8());
  private final PersistentSortedMap<String, String> texts =
      store.sortedMap("texts", Codec.utf8(), Codec.utf8());
  private final PersistentSortedMap<Long, String> others =
      store.sortedMap("others", Codec.int64(), Codec.utf8());
  private final Map<Long, String> model = new HashMap<>();

  @AfterEach
  void close() {
    store.close();
  }

  private static String text(long key) {
    return "a text that many keys begin with " + key;
  }

  private void fill() {
    for (long from = 0; from < KEYS; from += 100) {
      long first = from;
      store.run(
          tx -> {
            for (long key = first; key < first + 100; key++) {
              long scattered = key * 7919 % KEYS;
              words.put(
                  tx, scattered, "value of the length of a line and a half, or so " + scattered);
              texts.put(tx, text(scattered), "value " + scattered);
              others.put(tx, scattered, "another value of a length like that of the others");
            }
          });
    }
  }

  @Test
  void manyKeysAreFoundAsSingleOnes() {
    fill();
    Random random = new Random(SEED);
    for (long key = 0; key < KEYS; key++) {
      model.put(key, "value of the length of a line and a half, or so " + key);
    }
    for (int round = 0; round < 150; round++) {
      Map<Long, String> put = new LinkedHashMap<>();
      List<Long> keys = new ArrayList<>();
      long base = random.nextInt(KEYS);
      boolean isLocal = random.nextBoolean();
      for (int i = 0; i < 60; i++) {
        long key = isLocal ? base + random.nextInt(90) : random.nextInt(KEYS + 500);
        keys.add(key);
        if (random.nextInt(3) != 0) {
          put.put(key, "x".repeat(random.nextInt(90)) + round);
        }
      }
      store.run(
          tx -> {
            Savepoint before = tx.savepoint();
            words.removeAll(tx, keys);
            tx.rollBack(before);
            words.putAll(tx, put);
            others.putAll(tx, put); // the same keys, in another tree
          });
      model.putAll(put);
      Map<Long, String> found = store.read(tx -> words.getAll(tx, keys));
      Map<Long, String> expected = new HashMap<>();
      keys.stream().filter(model::containsKey).forEach(key -> expected.put(key, model.get(key)));
      assertThat(found).isEqualTo(expected);
      Map<Long, String> other = store.read(tx -> others.getAll(tx, put.keySet()));
      assertThat(other).isEqualTo(put);
    }
  }

  /** What was found for keys whose operations did not run is not taken for other keys or trees. */
  @Test
  void aGroupThatEndsEarlyLeavesNothingBehind() {
    fill();
    for (long from = 0; from < KEYS - 1000; from += 97) {
      long first = from;
      Map<Long, String> put = new LinkedHashMap<>();
      put.put(first, "new");
      put.put(first + 1, "\uD800"); // no text has half of a character
      put.put(first + 2, "new");
      put.put(first + 3, "new");
      assertThatThrownBy(() -> store.run(tx -> words.putAll(tx, put)))
          .isInstanceOf(CodecException.class);
      store.run(tx -> assertThat(words.get(tx, first + 900)).isNotNull());
      assertThatThrownBy(() -> store.run(tx -> words.putAll(tx, put)))
          .isInstanceOf(CodecException.class);
      store.run(tx -> assertThat(others.get(tx, first + 2)).startsWith("another value"));
    }
  }
}
