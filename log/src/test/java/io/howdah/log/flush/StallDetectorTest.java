package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.howdah.core.Region;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.Deadline;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.RingSet;
import io.howdah.log.report.LogStall;
import io.howdah.testkit.disk.SimulatedDisk;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a log that makes no progress is reported, as what, and when that is over. */
class StallDetectorTest {

  private static final long LOOK = StallDetector.CHECK_NANOS;
  private static final int LOOKS_TO_WARNING = 20;
  private static final long IDLE_NANOS = 1_000_000_000;

  private final ManualExecution execution = new ManualExecution();
  private final Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(2));
  private final Doorbell doorbell = new Doorbell(words, execution);
  private final StabilityWaiters waiters = new StabilityWaiters(words, execution, doorbell, 0);
  private final SpaceWaiters spaceWaiters =
      new SpaceWaiters(words, execution, doorbell, 1000, Long.MAX_VALUE);

  /** When the detector had something to tell the program's log, in looks. */
  private final List<Integer> messages = new ArrayList<>();

  private RingSet rings;
  private Flusher flusher;
  private StallDetector detector;

  @BeforeEach
  void start() {
    Storage storage = SimulatedDisk.seeded(1).storage();
    storage.createDirectory("log");
    storage.createDirectory("log/0");
    storage.createDirectory("rings");
    LogStart start = new LogStart(1, 2, 1, 0, 1, List.of(), List.of(), 1);
    rings = RingSet.create(storage, "rings", start, 77, 2, RingLayout.MIN_CAPACITY);
    SegmentFactory factory =
        new SegmentFactory(
            storage, start, SegmentLayout.MIN_LENGTH, 1 << 20, SegmentLayout.MAX_LENGTH);
    SegmentHistory history = new SegmentHistory(1, 0);
    GroupCommit groupCommit = new GroupCommit(IDLE_NANOS / GroupCommit.IDLE_FACTOR, 0);
    Segment first = factory.next();
    SegmentPreparer segments = new SegmentPreparer(factory, execution, () -> {}, "preparer");
    BatchTarget target = new SegmentTarget(first, history, _ -> {}, segments::await, "/the/store");
    flusher =
        new Flusher(
            words,
            rings,
            new BatchWriter(start, target, 2, 1 << 20),
            target,
            waiters,
            spaceWaiters,
            doorbell,
            execution,
            groupCommit,
            new LogLimit(
                history::bytes,
                new CommitLanes(words, List.of(), execution, spaceWaiters),
                Long.MAX_VALUE),
            () -> {},
            _ -> {});
    detector =
        new StallDetector(
            words, rings.rings(), flusher, waiters, spaceWaiters, execution, groupCommit, target);
  }

  /** Lets the detector look a number of times. */
  private void look(int times) {
    look(times, () -> {});
  }

  /** Lets the detector look a number of times, with an action before each look. */
  private void look(int times, Runnable before) {
    messages.clear();
    int[] looks = {0};
    execution.onPark =
        () -> {
          Runnable message = execution.bodies.remove("howdah-message");
          if (message != null) {
            message.run();
            messages.add(looks[0]);
          }
          if (++looks[0] > times) {
            throw new Enough();
          }
          before.run();
        };
    assertThatThrownBy(() -> Objects.requireNonNull(execution.bodies.get("howdah-watch")).run())
        .isInstanceOf(Enough.class);
    execution.nanos -= LOOK; // the last park was none
  }

  private static final class Enough extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private LogStall stall() {
    return Objects.requireNonNull(detector.stall());
  }

  @Test
  void aCommitThatDoesNotEndIsReportedAfterFiveSecondsWithItsPartition() {
    words.setLong(CommitWords.CLOCK, 5);
    words.setLong(CommitWords.STABLE, 0);
    announce(1, 2);
    announce(0, 4);
    long started = execution.nanos;
    look(LOOKS_TO_WARNING - 1);
    assertThat(detector.stall()).isNull();
    assertThat(messages).isEmpty();
    execution.nanos = started;
    look(LOOKS_TO_WARNING);
    assertThat(stall())
        .isEqualTo(
            new LogStall(
                Instant.ofEpochMilli(ManualExecution.WALL_CLOCK_MILLIS + started / 1_000_000),
                LogStall.Reason.COMMIT,
                OptionalInt.of(1),
                0,
                5));
    assertThat(detector.diagnose()).isEqualTo(stall());
    assertThat(stall().describe()).contains("a commit has begun").endsWith("(partition 1)");
    assertThat(messages).containsExactly(LOOKS_TO_WARNING);
  }

  /** Checkpoints on a full disk rely on what is said to be the reason (isLogFull). */
  @Test
  void whatTheLogWaitsForIsFoundOutAnewDuringAStall() {
    words.setLong(CommitWords.CLOCK, 5);
    announce(1, 2);
    announce(0, 4);
    look(LOOKS_TO_WARNING);
    LogStall warned = stall();
    announce(1, 9);
    words.setLong(CommitWords.STABLE, 2);
    assertThat(detector.stall()).isEqualTo(warned);
    assertThat(detector.diagnose())
        .isEqualTo(new LogStall(warned.since(), LogStall.Reason.COMMIT, OptionalInt.of(0), 2, 5));
  }

  /** Has a partition's commit announce an LSN. */
  private void announce(int partition, long lsn) {
    new Lane(words, partition, rings.rings().get(partition), 0).announce(lsn);
  }

  @Test
  void warningsBecomeRarer() {
    words.setLong(CommitWords.CLOCK, 5);
    announce(0, 2);
    look(LOOKS_TO_WARNING * 9);
    assertThat(messages).containsExactly(20, 40, 80, 160);
    assertThat(detector.stall()).isNotNull();
  }

  @Test
  void progressEndsAStallAndIsReported() {
    words.setLong(CommitWords.CLOCK, 5);
    announce(0, 2);
    int[] looks = {0};
    look(
        2 * LOOKS_TO_WARNING + 3,
        () -> {
          looks[0]++;
          if (looks[0] == LOOKS_TO_WARNING + 4) {
            assertThat(detector.stall()).isNotNull();
            words.setLong(CommitWords.STABLE, 1);
          }
          if (looks[0] == LOOKS_TO_WARNING + 5) {
            assertThat(detector.stall()).isNull();
          }
        });
    assertThat(messages).containsExactly(LOOKS_TO_WARNING, LOOKS_TO_WARNING + 4);
    assertThat(detector.stall()).as("counted anew since the progress").isNull();
  }

  @Test
  void aRecordWithoutAWaiterMayRestForTheIdleInterval() {
    words.setLong(CommitWords.CLOCK, 5);
    long started = execution.nanos;
    look(LOOKS_TO_WARNING + 3);
    assertThat(detector.stall()).isNull();
    execution.nanos = started;
    look(LOOKS_TO_WARNING + 4);
    assertThat(stall().reason()).isEqualTo(LogStall.Reason.FLUSHER);
    assertThat(stall().partition()).isEmpty();
    assertThat(stall().describe()).contains("the thread that forces the log makes no progress");
  }

  @Test
  void aLogWithoutWaitersDoesNotStall() {
    words.setLong(CommitWords.CLOCK, 5);
    words.setLong(CommitWords.STABLE, 5);
    look(10 * LOOKS_TO_WARNING);
    assertThat(detector.stall()).isNull();
    assertThat(messages).isEmpty();
    assertThat(detector.diagnose().reason()).isEqualTo(LogStall.Reason.FLUSHER);
    assertThat(detector.diagnose().newestLsn()).isEqualTo(5);
  }

  @Test
  void aThreadThatWaitsForSpaceNeedsTheLog() {
    int[] looks = {0};
    spaceWaiters.await(() -> ++looks[0] > 2, Deadline.NONE);
    assertThat(spaceWaiters.isAnyoneWaiting()).isTrue();
    look(LOOKS_TO_WARNING + 4);
    assertThat(stall().newestLsn()).isZero();
  }

  @Test
  void threadsThatWaitForTheirForceLookAtTheirTimeouts() {
    execution.onPark =
        () -> {
          execution.onPark = () -> {};
          look(2);
          assertThat(execution.unparked).isEmpty();
          words.setLong(CommitWords.CLOCK, 5);
          look(2);
        };
    assertThat(waiters.awaitForced(9, null, 0, 9, 1)).isFalse();
    assertThat(execution.unparked).containsExactly(Thread.currentThread());
  }

  @Test
  void anAnnouncementAtTheNewestLsnHoldsNothingBack() {
    words.setLong(CommitWords.CLOCK, 5);
    announce(0, 5);
    look(LOOKS_TO_WARNING + 4);
    assertThat(stall().reason()).isEqualTo(LogStall.Reason.FLUSHER);
    assertThat(stall().partition()).isEmpty();
  }

  @Test
  void aFlightRecordingIsToldOfAStallAndOfItsEnd() {
    words.setLong(CommitWords.CLOCK, 5);
    words.setLong(CommitWords.STABLE, 1);
    announce(1, 2);
    int[] looks = {0};
    List<RecordedEvent> events =
        FlightRecords.of(
            "io.howdah.LogStall",
            () ->
                look(
                    LOOKS_TO_WARNING + 4,
                    () -> {
                      if (++looks[0] == LOOKS_TO_WARNING + 4) {
                        words.setLong(CommitWords.STABLE, 2);
                      }
                    }));
    assertThat(events)
        .extracting(
            event -> event.getString("reason"),
            event -> event.getInt("partition"),
            event -> event.getLong("stableLsn"),
            event -> event.getLong("newestLsn"),
            event -> event.getDuration("lastingNanos").toNanos(),
            event -> event.getBoolean("over"))
        .containsExactly(
            tuple("COMMIT", 1, 1L, 5L, LOOKS_TO_WARNING * LOOK, false),
            tuple("COMMIT", 1, 1L, 5L, (LOOKS_TO_WARNING + 3) * LOOK, true));
  }

  @Test
  void theProgramsLogIsToldWhereAndForHowLong() {
    Logger logger = Logger.getLogger("io.howdah.log");
    List<String> written = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord message) {
            written.add(message.getLevel() + " " + message.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
    try {
      words.setLong(CommitWords.CLOCK, 5);
      announce(1, 2);
      int[] looks = {0};
      look(
          LOOKS_TO_WARNING + 4,
          () -> {
            if (++looks[0] == LOOKS_TO_WARNING + 4) {
              words.setLong(CommitWords.STABLE, 2);
            }
          });
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    assertThat(written).hasSize(2);
    assertThat(written.getFirst())
        .startsWith("WARNING for 5 s nothing has become durable in the store at /the/store")
        .contains("(partition 1)", "LSN 0 of 5");
    assertThat(written.getLast())
        .isEqualTo("INFO after 6 s, commits become durable again in the store at /the/store");
  }

  @Test
  void closingEndsTheThread() {
    boolean[] ended = new boolean[1];
    execution.onPark =
        () -> {
          execution.onPark = () -> {};
          Objects.requireNonNull(execution.bodies.get("howdah-watch")).run();
          ended[0] = true;
        };
    detector.close();
    assertThat(ended[0]).isTrue();
  }
}
