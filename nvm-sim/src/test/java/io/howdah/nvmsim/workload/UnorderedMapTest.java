package io.howdah.nvmsim.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.schedule.SplitMix;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UnorderedMapTest {
  private static final int KEYS = 3000;

  /** Counts accesses, and remembers the lines that were stored. */
  private static final class Accesses implements AccessSink {
    private long loads;
    private long stores;
    private final Set<Long> lines = new HashSet<>();

    @Override
    public void work(int instructions) {}

    @Override
    public void load(long address) {
      loads++;
    }

    @Override
    public void store(long address) {
      stores++;
      lines.add(address / 64);
    }
  }

  @Test
  void finds_what_a_map_of_the_jdk_finds() {
    UnorderedMap map = new UnorderedMap(KEYS, 64, new Accesses());
    Map<Integer, Integer> wanted = new HashMap<>();
    SplitMix random = new SplitMix(5);
    for (int i = 0; i < 20_000; i++) {
      int key = random.below(KEYS);
      Integer entry = wanted.remove(key);
      assertThat(map.find(key)).isEqualTo(entry == null ? UnorderedMap.NONE : entry);
      if (entry == null) {
        int added = map.allocate();
        assertThat(wanted).doesNotContainValue(added);
        map.insert(added, key);
        wanted.put(key, added);
      } else {
        map.remove(key);
        assertThat(map.allocatable()).isEqualTo(entry);
      }
      assertThat(map.count()).isEqualTo(wanted.size());
    }
  }

  @Test
  void growth_moves_every_node() {
    Accesses accesses = new Accesses();
    UnorderedMap map = new UnorderedMap(KEYS, 64, accesses);
    long most = 0;
    for (int key = 0; key < KEYS; key++) {
      long before = accesses.loads;
      map.insert(map.allocate(), key);
      most = Math.max(most, accesses.loads - before);
    }
    // The last growth comes with some 1500 nodes; each costs at least its link, key and bucket.
    assertThat(most).isGreaterThan(3 * 1400);
    assertThat(accesses.loads).isLessThan(20L * KEYS);
  }

  @Test
  void a_store_of_either_structure_writes_its_values_and_deletes_every_other_time() {
    for (KeyValueProgram.Structure structure : KeyValueProgram.Structure.values()) {
      Accesses accesses = new Accesses();
      try (GrowingStore store = new GrowingStore(structure, 4, 256, accesses)) {
        SplitMix random = new SplitMix(1);
        for (int i = 0; i < 1000; i++) {
          store.request(random);
        }
      }
      // A request stores 32 words for an insertion, and as many for the hash table's comparison.
      assertThat(accesses.stores).isBetween(500L * 32, 1000L * 60);
      assertThat(accesses.lines).hasSizeLessThan(200);
    }
  }
}
