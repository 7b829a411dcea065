package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.Subscription;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Listeners to the changes of a map are told of what a power cut leaves. */
final class SubscriptionDurabilityTest {

  private static final long LONG_SECONDS = 30;

  private final BlockingQueue<Change<Long, Long>> told = new LinkedBlockingQueue<>();

  /** Without a wait for durability the listener would be called long before the log is forced. */
  @Test
  void aListenerIsToldOfWhatSurvivesAPowerCut(@TempDir Path directory) throws InterruptedException {
    StoreOptions slow =
        StoreOptions.defaults()
            .withMaxSize(1 << 24)
            .withOrecs(1 << 12)
            .withPartitions(2)
            .withGroupCommitInterval(Duration.ofMillis(50));
    Map<Long, Long> stableAtCall = new ConcurrentHashMap<>();
    BlockingQueue<Long> called = new LinkedBlockingQueue<>();
    try (Store files = Store.open(directory, slow)) {
      PersistentMap<Long, Long> kept =
          files.map("map", Codec.int64(), Codec.int64(), ChangeJournal.keeping(10));
      Subscription subscription =
          kept.changes()
              .subscribe(
                  0,
                  change -> {
                    stableAtCall.put(change.position(), files.durability().stableLsn());
                    called.add(change.position());
                  });
      for (long n = 1; n <= 8; n++) {
        long key = n;
        long lsn = files.run(TxOptions.async(), tx -> kept.put(tx, key, key));
        assertThat(called.poll(LONG_SECONDS, TimeUnit.SECONDS)).isEqualTo(n);
        assertThat(stableAtCall.get(n)).isGreaterThanOrEqualTo(lsn);
      }
      subscription.close();
    }
    try (Store files = Store.open(directory, slow.withReadOnly(true))) {
      PersistentMap<Long, Long> kept = files.map("map", Codec.int64(), Codec.int64());
      Subscription subscription = kept.changes().subscribe(3, told::add);
      for (long n = 4; n <= 8; n++) {
        assertThat(told.poll(LONG_SECONDS, TimeUnit.SECONDS)).isEqualTo(new Change.Put<>(n, n, n));
      }
      subscription.close();
    }
  }
}
