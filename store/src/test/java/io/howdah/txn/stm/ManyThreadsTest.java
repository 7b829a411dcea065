package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tens of thousands of virtual threads. */
@Timeout(240)
final class ManyThreadsTest {

  private static final long FIRST = 8192;

  @TempDir Path directory;

  @Test
  void tensOfThousandsOfVirtualThreadsCommitWithoutPinningTheirCarriers() throws Exception {
    int count = 20_000;
    AtomicLong pinnedByUs = new AtomicLong();
    try (RecordingStream recording = new RecordingStream();
        Store store =
            Store.open(
                directory, StoreOptions.defaults().withMaxSize(4 << 20).withOrecs(1 << 16))) {
      recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
      recording.onEvent("jdk.VirtualThreadPinned", event -> pinnedByUs.addAndGet(isOurs(event)));
      for (Durability mode : List.of(Durability.SYNC, Durability.PARTITION, Durability.ASYNC)) {
        store.run(TxOptions.of(mode), tx -> tx.getLong(FIRST)); // a class that is loaded pins, too
      }
      recording.startAsync();
      long before = store.admin().stats().forces();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < count; t++) {
        long address = FIRST + 32L * t;
        Durability mode = t % 2 == 0 ? Durability.SYNC : Durability.PARTITION;
        threads.add(
            Thread.startVirtualThread(
                () -> {
                  store.run(TxOptions.of(mode), tx -> tx.putLong(address, tx.getLong(address) + 1));
                  store.run(TxOptions.async(), tx -> tx.putLong(address, tx.getLong(address) + 1));
                }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      recording.stop();
      assertThat(pinnedByUs).hasValue(0);
      long sum =
          store.read(
              tx -> {
                long all = 0;
                for (int t = 0; t < count; t++) {
                  all += tx.getLong(FIRST + 32L * t);
                }
                return all;
              });
      assertThat(sum).isEqualTo(2L * count);
      assertThat(store.admin().stats().forces() - before).isLessThan(count / 2);
    }
  }

  private static long isOurs(RecordedEvent event) {
    return event.getStackTrace() != null
            && event.getStackTrace().getFrames().stream()
                .anyMatch(f -> f.getMethod().getType().getName().startsWith("io.howdah"))
        ? 1
        : 0;
  }
}
