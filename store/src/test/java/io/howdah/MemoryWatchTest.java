package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Execution;
import io.howdah.core.report.ProgramLog;
import io.howdah.core.storage.file.MachineMemory;
import io.howdah.store.open.MemoryWatch;
import io.howdah.testkit.schedule.SystemThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class MemoryWatchTest {

  @Test
  void itWarnsOnceAboveNineTenthsAndAgainAfterItFell() {
    Execution atOnce =
        new SystemThreads() {
          @Override
          public Thread start(String name, Runnable body) {
            body.run();
            return new Thread();
          }
        };
    AtomicLong used = new AtomicLong(900);
    MemoryWatch watch =
        new MemoryWatch("a store", used::get, 1000, new ProgramLog("io.howdah.txn", atOnce));
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

  /** The flusher looks, and is not to wait for a handler. */
  @Test
  void theWarningIsWrittenByAnotherThread() {
    List<Runnable> started = new ArrayList<>();
    Execution later =
        new SystemThreads() {
          @Override
          public Thread start(String name, Runnable body) {
            started.add(body);
            return new Thread();
          }
        };
    ProgramLog programLog = new ProgramLog("io.howdah.txn", later);
    MemoryWatch watch = new MemoryWatch("a store", () -> 901, 1000, programLog);
    assertThat(programLog.say(System.Logger.Level.DEBUG, () -> "another message")).isTrue();
    assertThat(watch.look()).as("left out while another message is written").isFalse();
    started.removeFirst().run();
    assertThat(watch.look()).as("tried again").isTrue();
    assertThat(started).hasSize(1);
  }

  /** Meanwhile what tests before have left may be collected, so it is tried a few times. */
  @Test
  void aStoreTellsHowMuchMemoryIsUsedAndHowMuchThereIs() {
    long grown = 0;
    for (int attempt = 0; attempt < 10 && grown <= 16 << 20; attempt++) {
      System.gc();
      grown = memoryOfAFullStore();
    }
    assertThat(grown).isGreaterThan(16 << 20);
  }

  private static long memoryOfAFullStore() {
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(128 << 20))) {
      long before = store.admin().stats().memoryBytes();
      store.run(
          tx -> {
            long block = tx.allocate(32 << 20);
            for (long at = 0; at < 32 << 20; at += 4096) {
              tx.putLong(block + at, 1);
            }
          });
      assertThat(store.admin().stats().memoryLimitBytes()).isEqualTo(MachineMemory.usableBytes());
      assertThat(store.admin().stats().memoryBytes()).isPositive();
      return store.admin().stats().memoryBytes() - before;
    }
  }
}
