package io.howdah.nvmsim.thynvm.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class HashOrderTest {
  /** Computed once with GCC's library: keys in its order, folded into one number. */
  private static final String ORDER_OF_GCC = "17028636918312800256";

  @Test
  void visitsKeysInTheOrderOfTheGnuLibrary() {
    HashOrder order = new HashOrder();
    Set<Long> present = new HashSet<>();
    long state = 42;
    for (int i = 0; i < 20_000; i++) {
      state = state * 6364136223846793005L + 1442695040888963407L;
      long key = (state >>> 33) % 5000 * 4096;
      if (present.remove(key)) {
        order.remove(key);
      } else {
        present.add(key);
        order.add(key);
      }
    }
    long folded = 0;
    for (long key : order.keys()) {
      folded = folded * 31 + key;
    }
    assertThat(Long.toUnsignedString(folded)).isEqualTo(ORDER_OF_GCC);
    assertThat(order.size()).isEqualTo(present.size());
  }

  @Test
  void aClearedOrderStartsAgain() {
    HashOrder order = new HashOrder();
    order.add(4096);
    order.clear();
    order.add(8192);
    assertThat(order.keys()).containsExactly(8192);
  }
}
