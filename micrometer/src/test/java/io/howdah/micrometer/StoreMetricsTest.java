package io.howdah.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreFigure;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The meters of stores in a registry of Micrometer's. */
final class StoreMetricsTest {

  private static final StoreOptions SMALL = StoreOptions.defaults().withMaxSize(16 << 20);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @TempDir private Path folder;

  private double counter(String name, String... tags) {
    return registry.get(name).tags(tags).functionCounter().count();
  }

  private double gauge(String name, String... tags) {
    return registry.get(name).tags(tags).gauge().value();
  }

  @Test
  void theFiguresOfAStoreAreMeters() {
    try (Store store = Store.open(folder.resolve("store"), SMALL)) {
      PersistentMap<String, Long> stock = store.map("stock", Codec.utf8(), Codec.int64());
      new StoreMetrics(store).bindTo(registry);
      double commits = counter("howdah.commits", "type", "write");
      double reads = counter("howdah.commits", "type", "read");
      store.run(tx -> stock.put(tx, "tea", 12L));
      store.run(tx -> stock.put(tx, "cup", 6L));
      long size = store.read((Tx tx) -> stock.size(tx));
      assertThat(size).isEqualTo(2);
      store.admin().checkpoint();
      assertThat(counter("howdah.commits", "type", "write")).isEqualTo(commits + 2);
      assertThat(counter("howdah.commits", "type", "read")).isGreaterThan(reads);
      assertThat(counter("howdah.forces")).isPositive();
      assertThat(counter("howdah.aborts", "cause", "validation")).isZero();
      assertThat(counter("howdah.checkpoints")).isPositive();
      assertThat(gauge("howdah.checkpoints.failing")).isZero();
      assertThat(counter("howdah.entries.reclaimed")).isZero();
      assertThat(gauge("howdah.commits.unstable")).isNotNegative();
      assertThat(gauge("howdah.stalled")).isZero();
      assertThat(gauge("howdah.commits.blocked")).isZero();
      assertThat(gauge("howdah.store.allocated"))
          .isEqualTo((double) store.admin().stats().allocatedBytes())
          .isPositive();
      assertThat(gauge("howdah.store.capacity")).isEqualTo(16 << 20);
      assertThat(gauge("howdah.memory.limit")).isPositive();
      assertThat(gauge("howdah.memory.used")).isPositive();
      assertThat(gauge("howdah.log.limit")).isPositive();
      assertThat(gauge("howdah.log.size")).isNotNegative();
      assertThat(gauge("howdah.recovery.expected")).isNotNegative();
      assertThat(registry.get("howdah.log.size").meter().getId().getBaseUnit()).isEqualTo("bytes");
    }
  }

  /** Micrometer's durations are in seconds, while the figures of a store are in milliseconds. */
  @Test
  void durationsAreInSeconds() {
    StoreOptions rarely = SMALL.withGroupCommitInterval(Duration.ofSeconds(10));
    try (Store store = Store.open(folder.resolve("store"), rarely)) {
      new StoreMetrics(store).bindTo(registry);
      StoreFigure oldest = null;
      for (StoreFigure figure : StoreFigure.of(store.admin())) {
        StoreFigure.Meter meter = figure.meter().orElse(null);
        if (meter != null && figure.unit() == StoreFigure.Unit.MILLISECONDS) {
          assertThat(registry.get(meter.name()).meter().getId().getBaseUnit())
              .as(figure.name())
              .isEqualTo("seconds");
        }
        oldest = figure.name().equals("oldestUnstableMillis") ? figure : oldest;
      }
      StoreFigure read = Objects.requireNonNull(oldest);
      store.run(TxOptions.async(), tx -> tx.root(0, tx.allocate(8)));
      while (read.read(store.admin()) < 20) {
        Thread.onSpinWait(); // it grows until the commit is forced
      }
      double seconds = gauge(read.meter().orElseThrow().name());
      assertThat(seconds).isBetween(0.02, read.read(store.admin()) / 1e3);
    }
  }

  @Test
  void tagsTellStoresApart() {
    try (Store orders = Store.inMemory(SMALL);
        Store users = Store.inMemory(SMALL)) {
      new StoreMetrics(orders, Tags.of("store", "orders")).bindTo(registry);
      new StoreMetrics(users, Tags.of("store", "users")).bindTo(registry);
      double before = counter("howdah.commits", "store", "users", "type", "write");
      orders.run(tx -> tx.root(0, tx.allocate(8)));
      assertThat(counter("howdah.commits", "store", "users", "type", "write")).isEqualTo(before);
      assertThat(counter("howdah.commits", "store", "orders", "type", "write")).isPositive();
      assertThat(registry.getMeters()).allMatch(meter -> meter.getId().getTag("store") != null);
      assertThat(registry.getMeters())
          .as("a store in memory takes no checkpoints")
          .extracting(Meter::getId)
          .noneMatch(id -> id.getName().startsWith("howdah.checkpoints"));
    }
  }

  /** Micrometer keeps the meter that it has for a name and tags: that of the closed store. */
  @Test
  void aStoreThatIsOpenedAgainTakesThePlaceOfTheClosedOne() {
    registry.config().commonTags("host", "one");
    CompositeMeterRegistry composite = new CompositeMeterRegistry();
    composite.add(registry);
    try (Store other = Store.inMemory(SMALL)) {
      new StoreMetrics(other, Tags.of("store", "other")).bindTo(composite);
      for (int openings = 1; openings <= 2; openings++) {
        try (Store store = Store.open(folder.resolve("store"), SMALL)) {
          new StoreMetrics(store).bindTo(composite);
          store.run(tx -> tx.root(0, tx.allocate(8)));
          assertThat(gauge("howdah.log.size")).as("opening %d", openings).isNotNaN();
          assertThat(
                  registry.get("howdah.store.capacity").gauges().stream()
                      .filter(gauge -> gauge.getId().getTag("store") == null)
                      .map(Gauge::value))
              .containsExactly((double) (16 << 20));
        }
      }
      assertThat(gauge("howdah.store.capacity", "store", "other")).isEqualTo(16 << 20);
    }
  }

  @Test
  void aStoreThatIsClosedHasNoFigures() {
    Store store = Store.open(folder.resolve("store"), SMALL);
    new StoreMetrics(store).bindTo(registry);
    store.close();
    assertThat(gauge("howdah.store.allocated")).isNaN();
    assertThat(gauge("howdah.log.size")).isNaN();
    assertThat(registry.getMeters()).allSatisfy(meter -> assertThat(meter.measure()).isNotEmpty());
  }
}
