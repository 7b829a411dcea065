package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.RecordedRun.Attempt;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real threads, recorded and judged: every commit serializable in the order of LSNs and of real
 * time, every attempt, given up or not, opaque. And the judge itself, on histories that are wrong.
 */
@Timeout(120)
final class RecordedRunTest {

  private static final int THREADS = 8;
  private static final int WORDS = 24;
  private static final long FIRST = 8192;

  /** Transactions of each thread; more with -Dhowdah.recorded=N. */
  private static final int EACH = Integer.getInteger("howdah.recorded", 5000);

  @TempDir Path directory;

  private static StoreOptions options() {
    return StoreOptions.defaults().withMaxSize(1 << 20).withOrecs(1 << 8).withPartitions(3);
  }

  @Test
  void aVolatileStoreIsSerializableAndOpaque() throws Exception {
    try (Store store = Store.inMemory(options().withIrrevocableAfterAborts(8))) {
      recordAndJudge(store);
    }
  }

  @Test
  void aLoggedStoreIsSerializableAndOpaque() throws Exception {
    try (Store store = Store.open(options().withStorage(FileStorage.open(directory)))) {
      recordAndJudge(store);
    }
  }

  private static void recordAndJudge(Store store) throws Exception {
    AtomicLong numbers = new AtomicLong();
    AtomicLong returned = new AtomicLong();
    List<List<Attempt>> recorded = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      List<Attempt> own = new ArrayList<>();
      recorded.add(own);
      SplittableRandom random = new SplittableRandom(t);
      Runnable work =
          () -> {
            for (int i = 0; i < EACH; i++) {
              transact(store, random, own, numbers, returned);
            }
          };
      threads.add(t % 2 == 0 ? Thread.ofPlatform().start(work) : Thread.ofVirtual().start(work));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    List<Attempt> attempts = new ArrayList<>();
    recorded.forEach(attempts::addAll);
    assertThat(attempts).hasSizeGreaterThanOrEqualTo(THREADS * EACH);
    assertThat(new RecordedRun(attempts).complaint()).isNull();
  }

  private static void transact(
      Store store,
      SplittableRandom random,
      List<Attempt> own,
      AtomicLong numbers,
      AtomicLong returned) {
    long choices = random.nextLong();
    boolean readOnly = random.nextInt(4) == 0;
    Attempt[] last = new Attempt[1];
    long lsn =
        store
            .callWithReceipt(
                TxOptions.async(),
                tx -> {
                  Attempt attempt = new Attempt(numbers.incrementAndGet(), returned.get());
                  own.add(attempt);
                  last[0] = attempt;
                  SplittableRandom drawn = new SplittableRandom(choices);
                  int reads = 1 + drawn.nextInt(4);
                  for (int i = 0; i < reads; i++) {
                    int word = drawn.nextInt(WORDS);
                    attempt.read(word, tx.getLong(FIRST + 8L * word));
                  }
                  if (!readOnly) {
                    int word = drawn.nextInt(WORDS);
                    tx.putLong(FIRST + 8L * word, attemptNumber(attempt, word));
                  }
                  return 0;
                })
            .lsn();
    last[0].committed(lsn);
    if (!readOnly) {
      returned.accumulateAndGet(lsn, Math::max);
    }
  }

  private static long attemptNumber(Attempt attempt, int word) {
    attempt.wrote(word);
    return attempt.number();
  }

  // ---- The judge.

  private static Attempt writer(long number, long returnedBefore, long lsn, int word) {
    Attempt attempt = new Attempt(number, returnedBefore);
    attempt.wrote(word);
    attempt.committed(lsn);
    return attempt;
  }

  private static void judge(String complaint, Attempt... attempts) {
    assertThat(new RecordedRun(List.of(attempts)).complaint()).contains(complaint);
  }

  @Test
  void aMixedSnapshotIsNoticed() {
    Attempt one = writer(1, 0, 1, 0);
    one.wrote(1);
    Attempt reader = new Attempt(2, 0);
    reader.read(0, 1);
    reader.read(1, 0);
    judge("never was", one, reader);
  }

  @Test
  void writeSkewIsNoticed() {
    Attempt one = writer(1, 0, 1, 0);
    one.read(1, 0);
    Attempt other = writer(2, 0, 2, 1);
    other.read(0, 0);
    judge("never was", one, other);
  }

  @Test
  void aLostUpdateIsNoticed() {
    Attempt one = writer(1, 0, 1, 0);
    one.read(0, 0);
    Attempt other = writer(2, 0, 2, 0);
    other.read(0, 0);
    judge("never was", one, other);
  }

  @Test
  void aReadOfWhatWasGivenUpIsNoticed() {
    Attempt aborted = new Attempt(1, 0);
    aborted.wrote(0);
    Attempt reader = new Attempt(2, 0);
    reader.read(0, 1);
    judge("never committed", aborted, reader);
  }

  @Test
  void aStateOlderThanTheBeginningIsNoticed() {
    Attempt reader = new Attempt(2, 1);
    reader.read(0, 0);
    judge("never was", writer(1, 0, 1, 0), reader);
  }

  @Test
  void anLsnThatContradictsRealTimeIsNoticed() {
    judge("had returned", writer(1, 5, 5, 0));
  }

  @Test
  void anLsnThatOccursTwiceIsNoticed() {
    judge("has the LSN", writer(1, 0, 5, 0), writer(2, 0, 5, 1));
  }
}
