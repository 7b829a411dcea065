package io.howdah.txn;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.storage.MachineMemory;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class MemoryWatchTest {

  @Test
  void itWarnsOnceAboveNineTenthsAndAgainAfterItFell() {
    AtomicLong used = new AtomicLong(900);
    MemoryWatch watch = new MemoryWatch("a store", used::get, 1000);
    assertThat(watch.look()).as("90 %").isFalse();
    used.set(901);
    assertThat(watch.look()).isTrue();
    assertThat(watch.look()).as("told once").isFalse();
    used.set(800);
    assertThat(watch.look()).isFalse();
    used.set(1000);
    assertThat(watch.look()).as("it was not low enough in between").isFalse();
    used.set(799);
    assertThat(watch.look()).isFalse();
    used.set(901);
    assertThat(watch.look()).as("it had fallen").isTrue();
  }

  @Test
  void aStoreTellsHowMuchMemoryIsUsedAndHowMuchThereIs() {
    try (Store store = Store.inMemory(StoreOptions.defaults().maxSize(128 << 20))) {
      long before = store.stats().memoryBytes();
      store.run(
          tx -> {
            long block = tx.allocate(32 << 20);
            for (long at = 0; at < 32 << 20; at += 4096) {
              tx.putLong(block + at, 1);
            }
          });
      assertThat(store.stats().memoryLimitBytes()).isEqualTo(MachineMemory.usableBytes());
      assertThat(store.stats().memoryBytes()).isPositive();
      assertThat(store.stats().memoryBytes() - before).isGreaterThan(16 << 20);
    }
  }
}
