package io.howdah.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.txn.TxOptions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The timers of stores in a registry of Micrometer's. */
final class StoreTimersTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @TempDir private Path folder;

  private Timer timer(String name, String... tags) {
    return registry.get(name).tags(tags).timer();
  }

  @Test
  void eachOperationIsTimed() {
    StoreTimers timers = new StoreTimers(Tags.of("store", "orders"));
    StoreOptions options = StoreOptions.defaults().withMaxSize(16 << 20).withTimings(timers);
    try (Store store = Store.open(folder.resolve("store"), options)) {
      timers.bindTo(registry);
      assertThat(timer("howdah.opening", "store", "orders").count()).isEqualTo(1);
      for (int i = 0; i < 3; i++) {
        store.run(tx -> tx.root(0, tx.allocate(8)));
      }
      store.run(TxOptions.async(), tx -> tx.root(0, tx.allocate(8)));
      store.run(TxOptions.partition(), tx -> tx.root(0, tx.allocate(8)));
      store.admin().checkpoint();
      assertThat(timer("howdah.transaction", "mode", "sync").count()).isEqualTo(3);
      assertThat(timer("howdah.transaction", "mode", "async").count()).isEqualTo(1);
      assertThat(timer("howdah.transaction", "mode", "partition").count()).isEqualTo(1);
      assertThat(timer("howdah.durability.wait", "mode", "sync").count()).isEqualTo(3);
      assertThat(timer("howdah.durability.wait", "mode", "partition").count()).isEqualTo(1);
      assertThat(timer("howdah.force").count()).isGreaterThanOrEqualTo(1);
      assertThat(timer("howdah.force").totalTime(TimeUnit.NANOSECONDS)).isPositive();
      assertThat(timer("howdah.checkpoint").count()).isEqualTo(1);
      assertThat(timer("howdah.replay").count()).isZero();
      assertThat(registry.getMeters())
          .allMatch(meter -> "orders".equals(meter.getId().getTag("store")));
    }
  }

  /** A program may make its registry when the store serves, and the replay has ended. */
  @Test
  void aRegistryHasWhatIsMeasuredOnceWheneverItIsBound() {
    StoreTimers timers = new StoreTimers();
    timers.bindTo(registry);
    timers.opening(5);
    MeterRegistry between = new SimpleMeterRegistry();
    timers.bindTo(between);
    timers.replay(7);
    MeterRegistry late = new SimpleMeterRegistry();
    timers.bindTo(late);
    for (MeterRegistry each : List.of(registry, between, late)) {
      assertThat(each.get("howdah.opening").timer().count()).isEqualTo(1);
      assertThat(each.get("howdah.opening").timer().totalTime(TimeUnit.NANOSECONDS)).isEqualTo(5);
      assertThat(each.get("howdah.replay").timer().count()).isEqualTo(1);
      assertThat(each.get("howdah.replay").timer().totalTime(TimeUnit.NANOSECONDS)).isEqualTo(7);
    }
  }
}
