package io.howdah.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveTarget;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.TxOptions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The health of a store: while all is well, while its disk is full, and when it has ended. */
@Timeout(120)
final class StoreHealthTest {

  private static final long WORD = 8192;

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(10_000_000).build();
  private final SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();

  private StoreOptions options() {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withExecution(execution)
        .withCompletionExecutor(Runnable::run)
        .withMaxSize(1 << 20)
        .withOrecs(1 << 10)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withLogSegmentBytes(1 << 16)
        .withDurabilityTimeout(Duration.ofSeconds(5))
        .withCloseTimeout(Duration.ofSeconds(2));
  }

  private static long detail(Health health, String name) {
    return ((Number) health.getDetails().getOrDefault(name, -1)).longValue();
  }

  private static long write(Store store) {
    return store.run(
        TxOptions.async(),
        tx -> {
          for (int i = 1; i < 500; i++) {
            tx.putLong(WORD + 8L * i, 1);
          }
        });
  }

  @Test
  void aDiskThatDoesNotFollowIsSeenWithoutAForce() {
    execution.run(
        () -> {
          Store store = Store.open(options());
          StoreHealthIndicator indicator = new StoreHealthIndicator(store);
          Health well = indicator.health();
          assertThat(well.getStatus()).isEqualTo(Status.UP);
          assertThat(detail(well, "oldestUnstableMillis")).isZero();
          disk.setFreeBytes(0);
          long lsn;
          do {
            lsn = write(store);
          } while (store.durability().awaitStable(lsn, Duration.ofSeconds(1)));
          long before = detail(indicator.health(), "oldestUnstableMillis");
          assertThat(before).isBetween(500L, 1500L);
          long until = execution.nanoTime() + 10_000_000_000L;
          while (execution.nanoTime() < until) {
            execution.parkNanos(this, until - execution.nanoTime());
          }
          Health full = indicator.health();
          assertThat(full.getStatus()).isEqualTo(Status.DOWN);
          assertThat(detail(full, "oldestUnstableMillis")).isBetween(10_000L, 12_000L);
          assertThat(detail(full, "unstableCommits")).isPositive();
          assertThat(String.valueOf(full.getDetails().get("stalled")))
              .contains("the file system is full");
          disk.setFreeBytes(1L << 30);
          store.durability().awaitStable(lsn);
          long forces = store.admin().stats().forces();
          Health again = indicator.health();
          assertThat(detail(again, "oldestUnstableMillis")).isZero();
          assertThat(store.admin().stats().forces()).isEqualTo(forces);
          store.close();
          assertThat(indicator.health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        });
  }

  /** The indicator is asked all the while that a store is closed, from another thread. */
  @Test
  void itAnswersWhileTheStoreStops(@TempDir Path folder) throws Exception {
    for (int i = 0; i < 20; i++) {
      Store store =
          Store.open(folder.resolve("store"), StoreOptions.defaults().withMaxSize(1 << 20));
      StoreHealthIndicator indicator = new StoreHealthIndicator(store);
      AtomicBoolean isDown = new AtomicBoolean();
      Thread asks =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (indicator.health().getStatus().equals(Status.UP)) {
                      Thread.onSpinWait();
                    }
                    isDown.set(indicator.health().getStatus().equals(Status.OUT_OF_SERVICE));
                  });
      store.close();
      asks.join();
      assertThat(isDown).isTrue();
    }
  }

  @Test
  void aStoreThatHasStoppedSaysWhy() {
    execution.run(
        () -> {
          Store store = Store.open(options());
          StoreHealthIndicator indicator = new StoreHealthIndicator(store);
          disk.inject(Fault.onNth(Operation.FORCE, 1).in("log").forEver());
          long lsn = write(store);
          try {
            store.durability().awaitStable(lsn);
          } catch (RuntimeException _) {
            // It has stopped.
          }
          Health health = indicator.health();
          assertThat(health.getStatus()).isEqualTo(Status.DOWN);
          assertThat(String.valueOf(health.getDetails().get("stopped"))).isNotBlank();
          try {
            store.close();
          } catch (RuntimeException _) {
            // Not everything could be forced.
          }
        });
  }

  /** A store that serves is up, and its health says what falls behind. */
  @Test
  void anArchiveThatIsNotWrittenIsSeen(@TempDir Path folder) {
    Supplier<ArchiveTarget> gone =
        () -> {
          throw new IllegalStateException("the place is gone");
        };
    StoreOptions archived =
        StoreOptions.defaults()
            .withMaxSize(1 << 20)
            .withArchive(Archive.to(gone, Duration.ofMillis(10)));
    try (Store store = Store.open(folder.resolve("store"), archived)) {
      StoreHealthIndicator indicator = new StoreHealthIndicator(store);
      while (store.admin().archive().orElseThrow().problem().isEmpty()) {
        Thread.onSpinWait();
      }
      Health health = indicator.health();
      assertThat(health.getStatus()).isEqualTo(Status.UP);
      assertThat(String.valueOf(health.getDetails().get("archiveProblem")))
          .contains("the place is gone");
      store.run(tx -> tx.root(0, tx.allocate(8)));
      assertThat(detail(indicator.health(), "archiveLag")).isPositive();
    }
  }

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  HowdahAutoConfiguration.class,
                  HowdahHealthAutoConfiguration.class,
                  HowdahMetricsAutoConfiguration.class,
                  MetricsAutoConfiguration.class))
          .withBean(SimpleMeterRegistry.class);

  @Test
  void eachStoreHasItsHealthAndItsMeters() {
    runner
        .withPropertyValues("howdah.stores.orders.in-memory=true")
        .run(
            context -> {
              assertThat(context.getBean(HealthContributor.class))
                  .isInstanceOf(StoreHealthIndicator.class);
              assertThat(
                      context
                          .getBean(SimpleMeterRegistry.class)
                          .get("howdah.commits")
                          .tags("store", "orders", "type", "write")
                          .functionCounter()
                          .count())
                  .isNotNegative();
              Store store = context.getBean(Store.class);
              store.run(tx -> tx.root(0, tx.allocate(8)));
              assertThat(
                      context
                          .getBean(SimpleMeterRegistry.class)
                          .get("howdah.transaction")
                          .tags("store", "orders", "mode", "sync")
                          .timer()
                          .count())
                  .isPositive();
            });
    runner
        .withPropertyValues(
            "howdah.stores.orders.in-memory=true", "howdah.stores.users.in-memory=true")
        .run(
            context -> {
              CompositeHealthContributor both = context.getBean(CompositeHealthContributor.class);
              assertThat(both.getContributor("users")).isInstanceOf(StoreHealthIndicator.class);
              assertThat(both.getContributor("orders")).isInstanceOf(StoreHealthIndicator.class);
            });
    runner
        .withPropertyValues(
            "howdah.stores.orders.in-memory=true", "management.health.howdah.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(HealthContributor.class));
    runner
        .withPropertyValues("howdah.stores.orders.in-memory=true", "howdah.timers=false")
        .run(
            context -> {
              assertThat(context.getBean(Store.class).admin().options().timings()).isEmpty();
              assertThat(
                      context
                          .getBean(SimpleMeterRegistry.class)
                          .find("howdah.transaction")
                          .meters())
                  .isEmpty();
            });
    runner.run(
        context -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthContributor.class));
  }
}
