package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.txn.SnapshotLostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class HistoryStripeTest {

  private static final int WORDS = SnapshotHistory.MAX_WORDS / SnapshotHistory.STRIPES;
  private static final long BEING_OPENED = Long.MAX_VALUE;

  private final HistoryStripe stripe = new HistoryStripe();

  private void add(long address, long lsn, long former, long newestOpen) {
    stripe.add(address, address << 40, lsn, former, newestOpen);
  }

  private long value(long address, long snapshot, long current) {
    return stripe.value(address, address << 40, snapshot, current);
  }

  @Test
  void eachSnapshotSeesWhatTheFirstChangeAfterItOverwrote() {
    add(8, 10, 100, 5);
    add(8, 20, 200, 15);
    add(8, 30, 300, 15); // nobody began since the change before
    assertThat(value(8, 5, 400)).isEqualTo(100);
    assertThat(value(8, 10, 400)).isEqualTo(200);
    assertThat(value(8, 15, 400)).isEqualTo(200);
    assertThat(value(16, 5, 400)).isEqualTo(400);
  }

  @Test
  void whileASnapshotIsBeingOpenedEveryChangeIsKept() {
    add(8, 10, 100, BEING_OPENED);
    add(8, 20, 200, BEING_OPENED);
    add(8, 30, 300, BEING_OPENED);
    assertThat(value(8, 9, 400)).isEqualTo(100);
    assertThat(value(8, 19, 400)).isEqualTo(200);
    assertThat(value(8, 29, 400)).isEqualTo(300);
    assertThat(value(8, 30, 400)).isEqualTo(400);
  }

  @Test
  void aFullRingLosesTheOldestAndSaysSo() {
    for (long i = 0; i < WORDS; i++) {
      add(8 * i, 10 + i, i, 5);
    }
    for (long i = 0; i < WORDS; i++) {
      assertThat(value(8 * i, 5, -1)).isEqualTo(i);
    }
    add(8L * WORDS, 10 + WORDS, 7, 5);
    assertThatThrownBy(() -> value(8, 5, -1)).isInstanceOf(SnapshotLostException.class);
    assertThatThrownBy(() -> value(8, 9, -1)).isInstanceOf(SnapshotLostException.class);
    assertThat(value(8, 10, -1)).as("a snapshot that misses nothing").isEqualTo(1);
    assertThat(value(0, 10, -1)).as("overwritten before it began").isEqualTo(-1);
  }

  @Test
  void nothingIsLeftOfAnEarlierReader() {
    for (int round = 0; round < 3; round++) {
      for (long i = 0; i < WORDS / 2 + 77; i++) {
        add(8 * i, 10, i, 5);
      }
      assertThat(value(8, 5, -1)).isEqualTo(1);
      stripe.clear();
      assertThat(value(8, 5, -1)).isEqualTo(-1);
    }
  }

  @Test
  void nothingWasOverwrittenAtFirst() {
    assertThat(value(8, 5, 400)).isEqualTo(400);
  }

  /** A snapshot at the LSN of a change sees what that change wrote, so the next one is kept. */
  @Test
  void aChangeAfterASnapshotOfTheChangeBeforeItIsKept() {
    add(8, 10, 100, 5);
    add(8, 20, 200, 10);
    assertThat(value(8, 10, 400)).isEqualTo(200);
    assertThat(value(8, 9, 400)).isEqualTo(100);
  }

  /** Words of one hash are told apart by their addresses. */
  @Test
  void wordsOfOneHashDoNotHideEachOther() {
    long hash = 7L << 40;
    stripe.add(8, hash, 10, 100, 5);
    stripe.add(16, hash, 11, 101, 5);
    stripe.add(24, hash, 12, 102, 5);
    stripe.add(8, hash, 20, 200, 5); // serves nobody: that of LSN 10 does
    stripe.add(16, hash, 21, 201, 15);
    stripe.add(24, hash, 22, 202, 5);
    assertThat(stripe.value(8, hash, 5, 400)).isEqualTo(100);
    assertThat(stripe.value(16, hash, 5, 401)).isEqualTo(101);
    assertThat(stripe.value(24, hash, 5, 402)).isEqualTo(102);
    assertThat(stripe.value(8, hash, 15, 400)).as("not kept").isEqualTo(400);
    assertThat(stripe.value(16, hash, 15, 401)).isEqualTo(201);
    assertThat(stripe.value(24, hash, 15, 402)).as("not kept").isEqualTo(402);
    assertThat(stripe.value(32, hash, 5, 403)).isEqualTo(403);
  }

  /** Two threads add words and look some up; none is lost, as it would be if both were let in. */
  @Test
  void oneThreadAtATimeIsLetIn() throws Exception {
    for (int round = 0; round < 4; round++) {
      stripe.clear();
      CountDownLatch bothRun = new CountDownLatch(2);
      Thread even = Thread.ofPlatform().start(() -> addEverySecond(0, bothRun));
      Thread odd = Thread.ofPlatform().start(() -> addEverySecond(1, bothRun));
      even.join();
      odd.join();
      assertThat(LongStream.range(0, WORDS).filter(i -> value(8 * i, 5, -1) != i).boxed())
          .isEmpty();
    }
  }

  private void addEverySecond(long first, CountDownLatch bothRun) {
    bothRun.countDown();
    awaitUninterruptibly(bothRun);
    for (long i = first; i < WORDS; i += 2) {
      add(8 * i, 10, i, 5);
      long _ = value(8 * i, 5, -1);
    }
  }

  /** What there was no memory for is lost to the snapshots before that change, and to no others. */
  @Test
  void snapshotsBegunAfterAShortageMissNothing() {
    AtomicBoolean isShort = new AtomicBoolean();
    HistoryStripe stripe =
        new HistoryStripe(
            length -> {
              if (isShort.get()) {
                throw new OutOfMemoryError("as intended");
              }
              return new long[length];
            });
    isShort.set(true);
    stripe.add(8, 8L << 40, 10, 100, 5);
    isShort.set(false);
    assertThatThrownBy(() -> stripe.value(8, 8L << 40, 5, 200))
        .isInstanceOf(SnapshotLostException.class);
    assertThat(stripe.value(8, 8L << 40, 10, 200)).isEqualTo(200);
    stripe.add(8, 8L << 40, 20, 200, 15);
    assertThat(stripe.value(8, 8L << 40, 15, 300)).isEqualTo(200);
    assertThatThrownBy(() -> stripe.value(8, 8L << 40, 9, 300))
        .isInstanceOf(SnapshotLostException.class);
  }

  /**
   * A commit adds words with its orecs locked and its LSN announced. If its virtual thread left its
   * carrier to wait for the stripe, it might come back long after: when others need no carrier.
   */
  @Test
  void aVirtualThreadThatWaitsForTheStripeKeepsItsCarrier() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    HistoryStripe held =
        new HistoryStripe(
            length -> {
              entered.countDown();
              awaitUninterruptibly(release);
              return new long[length];
            });
    AtomicBoolean isOver = new AtomicBoolean();
    Thread holder = Thread.ofPlatform().start(() -> held.add(8, 8L << 40, 10, 100, 5));
    entered.await();
    CountDownLatch isBegun = new CountDownLatch(1);
    Thread commit =
        Thread.startVirtualThread(
            () -> {
              isBegun.countDown();
              held.add(16, 16L << 40, 11, 100, 5);
            });
    isBegun.await();
    Thread.sleep(200);
    List<Thread> others = new ArrayList<>();
    for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
      others.add(
          Thread.startVirtualThread(
              () -> {
                while (!isOver.get()) {
                  Thread.onSpinWait();
                }
              }));
    }
    Thread.sleep(200);
    release.countDown();
    try {
      assertThat(commit.join(Duration.ofSeconds(5))).isTrue();
    } finally {
      isOver.set(true);
      holder.join();
      for (Thread other : others) {
        other.join();
      }
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The ring is as long for later readers, wherever it begins. */
  @Test
  void aRingThatBeginsInTheMiddleIsAsLong() {
    for (long i = 0; i < 700; i++) {
      add(8 * i, 10, i, 5);
    }
    stripe.clear();
    for (long i = 0; i < WORDS; i++) {
      add(8 * i, 20 + i, i, 15);
    }
    assertThat(value(0, 15, -1)).isZero();
    add(8L * WORDS, 20 + WORDS, 7, 15);
    assertThatThrownBy(() -> value(8, 15, -1)).isInstanceOf(SnapshotLostException.class);
    assertThat(value(8, 20, -1)).isEqualTo(1);
  }
}
