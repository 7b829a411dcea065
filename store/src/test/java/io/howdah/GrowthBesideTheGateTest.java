package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.TxOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store lets tables grow behind commits, also while an irrevocable transaction runs. */
final class GrowthBesideTheGateTest {

  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  /** Growth has no ticket for the gate, so it would wait for the body that waits for it. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aTableDoesNotWaitForTheGateInOrderToGrow() {
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 25))) {
      PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
      store.call(
          TxOptions.async().withIrrevocable(),
          _ -> {
            for (int i = 0; i < 2000; i++) {
              long number = i;
              store.run(tx -> map.put(tx, number * MULTIPLIER, number));
            }
            return 0;
          });
      long size = store.read(map::size);
      assertThat(size).isEqualTo(2000);
    }
  }
}
