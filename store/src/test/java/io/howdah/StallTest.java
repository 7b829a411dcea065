package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lane;
import io.howdah.log.report.LogStall;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A log that makes no progress says so, and why, and when it goes on. In simulated time. */
@Timeout(120)
final class StallTest {

  private static final long WORDS = 8192;

  @TempDir Path folder;

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(50_000_000).build();
  private final SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();
  private final Logger logger = Logger.getLogger("io.howdah.log");
  private final List<String> messages = Collections.synchronizedList(new ArrayList<>());
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord message) {
          messages.add(message.getLevel() + ": " + message.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
    logger.setLevel(null);
  }

  private StoreOptions options() {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withExecution(execution)
        .withMaxSize(1 << 20)
        .withOrecs(1 << 10)
        .withPartitions(3)
        .withRingBytes(1 << 16)
        .withLogSegmentBytes(1 << 16)
        .withCloseTimeout(Duration.ofSeconds(2));
  }

  private static long write(Store store) {
    return store.run(
        TxOptions.async(),
        tx -> {
          for (int i = 0; i < 500; i++) {
            tx.putLong(WORDS + 8L * i, 1);
          }
        });
  }

  private void pass(Duration time) {
    long until = execution.nanoTime() + time.toNanos();
    while (execution.nanoTime() < until) {
      execution.parkNanos(this, 100_000_000);
    }
  }

  /** Nobody waits here: commits in ASYNC are due as well. */
  @Test
  void aFullDiskIsWarnedOfWithGrowingIntervalsUntilItGoesOn() throws Exception {
    Path file = folder.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      execution.run(
          () -> {
            try (Store store = Store.open(options())) {
              disk.setFreeBytes(0);
              long before = write(store);
              while (store.durability().awaitStable(before, Duration.ofSeconds(1))) {
                before = write(store);
              }
              assertThat(store.admin().stats().stall()).as("a second is no stall").isEmpty();
              assertThat(messages).isEmpty();
              pass(Duration.ofSeconds(5));
              LogStall stall = store.admin().stats().stall().orElseThrow();
              assertThat(stall.reason()).isEqualTo(LogStall.Reason.FILE_SYSTEM_FULL);
              assertThat(stall.partition()).isEmpty();
              assertThat(stall.newestLsn()).isEqualTo(before);
              StoreBean bean = new StoreBean(store.admin());
              assertThat(bean.getAttribute("Stalled")).isEqualTo(true);
              assertThat(bean.getAttribute("StallReason")).isEqualTo(stall.describe());
              assertThat(bean.getAttribute("StallPartition")).isEqualTo(-1L);
              assertThat(bean.getAttribute("StalledSinceMillis"))
                  .isEqualTo(stall.since().toEpochMilli());
              assertThat(stall.stableLsn()).isEqualTo(store.admin().stats().stableLsn());
              long age = execution.wallClockMillis() - stall.since().toEpochMilli();
              assertThat(age).isBetween(5_000L, 7_000L);
              assertThat(messages)
                  .singleElement()
                  .asString()
                  .startsWith("WARNING: for 5 s nothing has become durable")
                  .contains(disk.storage().describe())
                  .contains("the file system is full")
                  .contains("stable up to LSN " + stall.stableLsn() + " of " + before);
              pass(Duration.ofSeconds(200));
              assertThat(messages).as("after 5, 10, 20, 40, 80, 160 s").hasSize(6);
              int warnings = messages.size();
              disk.setFreeBytes(1L << 30);
              store.durability().awaitStable(before);
              pass(Duration.ofSeconds(1));
              assertThat(store.admin().stats().stall()).isEmpty();
              assertThat(bean.getAttribute("Stalled")).isEqualTo(false);
              assertThat(bean.getAttribute("StallReason")).isEqualTo("");
              assertThat(bean.getAttribute("StalledSinceMillis")).isEqualTo(0L);
              assertThat(messages).hasSize(warnings + 1);
              assertThat(messages.getLast()).startsWith("INFO: ").contains("durable again");
            }
          });
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().equals("io.howdah.LogStall"))
            .toList();
    assertThat(events).hasSameSizeAs(messages);
    assertThat(events.getFirst().getString("reason")).isEqualTo("FILE_SYSTEM_FULL");
    assertThat(events.getLast().getBoolean("over")).isTrue();
    assertThat(events.getLast().getDuration("lastingNanos")).isGreaterThan(Duration.ofSeconds(205));
  }

  @Test
  void aForceThatDoesNotReturnIsNamed() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            disk.setDelayNanos(30_000_000_000L);
            long lsn = write(store);
            pass(Duration.ofSeconds(6));
            assertThat(store.admin().stats().stall().orElseThrow().reason())
                .isEqualTo(LogStall.Reason.FORCE);
            disk.setDelayNanos(0);
            store.durability().awaitStable(lsn);
          }
        });
  }

  @Test
  void aCommitThatDoesNotEndIsNamedByItsPartition() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            Lane stuck = store.engine().lanes().lease(2, RedoRecordLayout.MIN_LENGTH, 0);
            assertThat(store.engine().lanes().spinForAppendLock(stuck, RedoRecordLayout.MIN_LENGTH))
                .isTrue();
            stuck.announce();
            long lsn = write(store);
            pass(Duration.ofSeconds(6));
            LogStall stall = store.admin().stats().stall().orElseThrow();
            assertThat(stall.reason()).isEqualTo(LogStall.Reason.COMMIT);
            assertThat(stall.partition()).hasValue(2);
            assertThat(new StoreBean(store.admin()).getAttribute("StallPartition")).isEqualTo(2L);
            LogStall told =
                StoreStats.of(new StoreUpkeep(store.admin()).figures()).stall().orElseThrow();
            assertThat(told.reason()).isEqualTo(stall.reason());
            assertThat(told.partition()).isEqualTo(stall.partition());
            assertThat(told.since().toEpochMilli()).isEqualTo(stall.since().toEpochMilli());
            assertThat(messages).singleElement().asString().contains("(partition 2)");
            stuck.finish();
            store.durability().awaitStable(lsn);
          }
        });
  }

  @Test
  void aStoreThatIsIdleOrRestsBetweenForcesIsNotStalled() {
    execution.run(
        () -> {
          try (Store store = Store.open(options().withGroupCommitInterval(Duration.ofSeconds(9)))) {
            write(store);
            pass(Duration.ofSeconds(80));
            assertThat(messages).isEmpty();
            pass(Duration.ofHours(1));
            assertThat(messages).isEmpty();
          }
        });
  }
}
