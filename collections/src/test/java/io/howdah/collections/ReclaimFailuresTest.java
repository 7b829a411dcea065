package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.testkit.SettableClock;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The store goes on to reclaim expired entries in the background after something has failed, or has
 * expired meanwhile.
 */
final class ReclaimFailuresTest {

  private static final Expiry EXPIRY = Expiry.after(Duration.ofSeconds(10));
  private static final String RECLAIMING = "howdah-expiry";

  /** How much faster time passes for the thread that reclaims: an hour is 36 seconds. */
  private static final int SPEED = 100;

  private static final long DEADLINE_NANOS = 15_000_000_000L;

  private final SettableClock clock = new SettableClock();
  private final Threads threads = new Threads();

  /** Counts how often the thread that reclaims has found nothing to do. */
  private static final class Threads extends SystemThreads {
    private final AtomicInteger idle = new AtomicInteger();

    @Override
    public Thread start(String name, Runnable body) {
      return system.start(name, body);
    }

    @Override
    public long nanoTime() {
      return isReclaiming() ? system.nanoTime() * SPEED : system.nanoTime();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      if (isReclaiming()) {
        if (nanos >= 1_000_000_000) {
          idle.incrementAndGet();
        }
        system.parkNanos(blocker, nanos / SPEED);
      } else {
        system.parkNanos(blocker, nanos);
      }
    }
  }

  private static boolean isReclaiming() {
    return Thread.currentThread().getName().equals(RECLAIMING);
  }

  private WordStore open(InstantSource source) {
    return WordStore.inMemory(
        WordOptions.defaults()
            .withMaxSize(1 << 24)
            .withOrecs(1 << 12)
            .withPartitions(2)
            .withExecution(threads)
            .withClock(source));
  }

  private static void await(String what, Supplier<Boolean> condition) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.get()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private static void awaitReclaimed(WordStore store, PersistentMap<?, ?> map) {
    await(
        "expired entries are removed",
        () -> store.<Long, RuntimeException>read((Tx tx) -> map.expiry().storedEntries(tx)) == 0);
  }

  private void awaitIdle() {
    int then = threads.idle.get();
    await("nothing is left to do", () -> threads.idle.get() > then + 1);
  }

  private static void throwOne(boolean isError) {
    if (isError) {
      throw new NoClassDefFoundError("of a codec");
    }
    throw new IllegalStateException("of a codec");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aMapWhoseCodecFailsForAWhileIsReclaimedLaterAndOthersMeanwhile(boolean isError) {
    AtomicBoolean fails = new AtomicBoolean(true);
    AtomicInteger failures = new AtomicInteger();
    Codec<String> keys =
        Codecs.map(
            "failing",
            Codec.utf8(),
            key -> {
              if (fails.get() && isReclaiming()) {
                failures.incrementAndGet();
                throwOne(isError);
              }
              return key;
            },
            key -> key);
    try (WordStore store = open(clock)) {
      PersistentMap<String, Long> failing = store.map("failing", keys, Codec.int64(), EXPIRY);
      PersistentMap<Long, Long> sound = store.map("sound", Codec.int64(), Codec.int64(), EXPIRY);
      store.run(
          tx -> {
            failing.put(tx, "a", 1L);
            sound.put(tx, 1L, 1L);
          });
      clock.move(10_000);
      awaitReclaimed(store, sound);
      await("the other fails again", () -> failures.get() > 1);
      assertThat(store.<Long, RuntimeException>read((Tx tx) -> failing.expiry().storedEntries(tx)))
          .isEqualTo(1);
      fails.set(false);
      awaitReclaimed(store, failing);
    }
  }

  @Test
  void aHorizonThatCannotBeMovedIsMovedLater() {
    AtomicInteger failures = new AtomicInteger();
    InstantSource failing =
        new InstantSource() {
          @Override
          public Instant instant() {
            return clock.instant();
          }

          @Override
          public long millis() {
            boolean isMoving =
                StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(f -> f.getMethodName().equals("moveHorizon")));
            if (isMoving && failures.getAndIncrement() == 0) {
              throw new IllegalStateException("the log is full");
            }
            return clock.millis();
          }
        };
    try (WordStore store = open(failing)) {
      PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64(), EXPIRY);
      store.run(tx -> map.put(tx, 1L, 1L));
      clock.move(10_000);
      awaitReclaimed(store, map);
      assertThat(failures.get()).as("moves of the horizon").isGreaterThan(1);
    }
  }

  @Test
  void whatAnEarlierHandleOfTheMapPutsIsReclaimedToo() {
    try (WordStore store = open(clock)) {
      PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64(), EXPIRY);
      PersistentMap<Long, Long> _ = store.map("map", Codec.int64(), Codec.int64(), EXPIRY);
      awaitIdle();
      store.run(tx -> map.put(tx, 1L, 1L));
      awaitIdle();
      clock.move(10_000);
      awaitReclaimed(store, map);
    }
  }

  @Test
  void whatExpiresDuringAPassIsRemovedByTheNext() {
    AtomicInteger passes = new AtomicInteger();
    AtomicLong middle = new AtomicLong(Long.MIN_VALUE);
    AtomicBoolean isMoved = new AtomicBoolean(true);
    Codec<Long> keys = inAPass(middle, passes, isMoved, () -> clock.move(10_000));
    try (WordStore store = open(clock)) {
      PersistentMap<Long, Long> map = store.map("map", keys, Codec.int64(), Expiry.perEntry());
      store.run(tx -> LongStream.range(0, 1000).forEach(key -> map.put(tx, key, key)));
      List<Long> order = store.read((Tx tx) -> map.keys(tx).toList());
      middle.set(order.get(600));
      store.run(
          tx -> {
            expireAfter(map, tx, order.subList(0, 1), 10_000);
            expireAfter(map, tx, order.subList(1, 10), 20_000);
            expireAfter(map, tx, order.subList(990, 1000), 30_000);
          });
      awaitIdle();
      int before = passes.get();
      clock.move(10_000);
      await("a pass for one entry", () -> passes.get() > before);
      awaitIdle();
      isMoved.set(false);
      clock.move(10_000);
      await("all are removed", () -> store.<Long, RuntimeException>read(map::size) == 980);
      await(
          "all are removed from memory",
          () -> store.<Long, RuntimeException>read(map.expiry()::storedEntries) == 980);
    }
  }

  /**
   * Returns a codec by which a pass does something, once it comes to a key and unless it is done.
   *
   * @param key at which it is done
   * @param passes counts the passes that come to the key
   */
  private static Codec<Long> inAPass(
      AtomicLong key, AtomicInteger passes, AtomicBoolean isDone, Runnable action) {
    return Codecs.map(
        "number",
        Codec.int64(),
        read -> {
          if (isReclaiming() && read == key.get()) {
            passes.incrementAndGet();
            if (!isDone.getAndSet(true)) {
              action.run();
            }
          }
          return read;
        },
        read -> read);
  }

  /** The entries lie where the pass has been already. */
  @Test
  void whatGetsATimeDuringAPassIsRemovedByALaterOne() {
    AtomicLong middle = new AtomicLong(Long.MIN_VALUE);
    AtomicInteger passes = new AtomicInteger();
    AtomicBoolean isPut = new AtomicBoolean(true);
    AtomicReference<Runnable> putting = new AtomicReference<>(() -> {});
    Codec<Long> keys =
        inAPass(
            middle,
            passes,
            isPut,
            () -> {
              Thread other = new Thread(putting.get());
              other.start();
              await("entries have a time", () -> !other.isAlive());
            });
    try (WordStore store = open(clock)) {
      PersistentMap<Long, Long> map = store.map("map", keys, Codec.int64(), Expiry.perEntry());
      store.run(tx -> LongStream.range(0, 1000).forEach(key -> map.put(tx, key, key)));
      List<Long> order = store.read((Tx tx) -> map.keys(tx).toList());
      middle.set(order.get(600));
      putting.set(() -> store.run(tx -> expireAfter(map, tx, order.subList(1, 10), 20_000)));
      store.run(tx -> expireAfter(map, tx, order.subList(0, 1), 10_000));
      awaitIdle();
      int before = passes.get();
      isPut.set(false);
      clock.move(10_000);
      await("a pass for one entry", () -> passes.get() > before && isPut.get());
      await("it is removed", () -> store.<Long, RuntimeException>read(map::size) == 999);
      awaitIdle();
      clock.move(20_000);
      await(
          "those that got a time meanwhile are removed from memory",
          () -> store.<Long, RuntimeException>read(map.expiry()::storedEntries) == 990);
    }
  }

  /**
   * A transaction that is open all the while puts an entry. Passes begin and end meanwhile, which
   * look for entries that live on by then; one of them fails.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatCommitsAfterPassesHaveEndedIsReclaimed(boolean isFailing) throws InterruptedException {
    // Where the entries are by chance neighbours, the transaction is repeated, and tells nothing.
    int tries = 1;
    while (!commitsAfterPasses("goes " + tries, isFailing)) {
      assertThat(tries++).isLessThan(20);
    }
  }

  /** Returns whether the transaction was not repeated. */
  private boolean commitsAfterPasses(String key, boolean isFailing) throws InterruptedException {
    AtomicInteger passes = new AtomicInteger();
    AtomicInteger attempts = new AtomicInteger();
    AtomicBoolean mayCommit = new AtomicBoolean();
    AtomicBoolean fails = new AtomicBoolean();
    Codec<String> keys =
        Codecs.map(
            "counted",
            Codec.utf8(),
            stored -> {
              if (isReclaiming() && stored.equals("stays")) {
                passes.incrementAndGet();
                if (fails.getAndSet(false)) {
                  throwOne(false);
                }
              }
              return stored;
            },
            stored -> stored);
    try (WordStore store = open(clock)) {
      PersistentMap<String, Long> map = store.map("map", keys, Codec.int64(), Expiry.perEntry());
      store.run(
          tx -> {
            map.put(tx, "stays", 1L);
            map.put(tx, key, 1L);
          });
      awaitIdle();
      Thread writer =
          new Thread(
              () ->
                  store.run(
                      tx -> {
                        assertThat(map.expiry().touch(tx, key, Duration.ofSeconds(10))).isTrue();
                        attempts.incrementAndGet();
                        await("passes have ended", mayCommit::get);
                      }));
      writer.start();
      try {
        await("the entry is written", () -> attempts.get() > 0);
        for (int i = 0; i < 2; i++) {
          int before = passes.get();
          fails.set(isFailing && i == 0);
          store.run(tx -> map.expiry().touch(tx, "stays", Duration.ofSeconds(10)));
          store.run(tx -> map.expiry().persist(tx, "stays"));
          clock.move(10_000);
          await("a pass", () -> passes.get() > before);
          awaitIdle();
        }
      } finally {
        mayCommit.set(true);
        writer.join();
      }
      if (attempts.get() > 1) {
        return false; // its last attempt began when the passes had ended, so the entry lives on
      }
      await(
          "the entry is removed",
          () -> store.<Long, RuntimeException>read(map.expiry()::storedEntries) == 1);
    }
    return true;
  }

  private static void expireAfter(
      PersistentMap<Long, Long> map, Tx tx, List<Long> keys, long millis) {
    for (long key : keys) {
      map.expiry().putUntil(tx, key, key, Instant.ofEpochMilli(SettableClock.START + millis));
    }
  }

  /** A step of a program on a map whose entries expire. */
  private enum Step {
    PUT,
    PUT_LONGER,
    TOUCH,
    RECLAIM,
    PASS_TIME
  }

  private void take(
      Step step, WordStore store, PersistentMap<Long, String> map, SplittableRandom random) {
    long key = random.nextInt(8);
    switch (step) {
      case PUT -> store.run(tx -> map.put(tx, key, "short"));
      case PUT_LONGER ->
          store.run(tx -> map.expiry().put(tx, key, "long", Duration.ofSeconds(100)));
      case TOUCH -> store.run(tx -> map.expiry().touch(tx, key, Duration.ofSeconds(50)));
      case RECLAIM -> {
        long _ = map.expiry().reclaim();
      }
      case PASS_TIME -> clock.move(random.nextInt(12_000));
    }
  }

  /** A pass of the program does not hide what it leaves from the passes in the background. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatTheProgramReclaimsItselfLeavesTheRestToTheBackground(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (WordStore store = open(clock)) {
      PersistentMap<Long, String> map = store.map("map", Codec.int64(), Codec.utf8(), EXPIRY);
      for (int round = 0; round < 3; round++) {
        awaitIdle(); // so that no pass sees what the steps put before its time
        for (int i = 0; i < 10; i++) {
          take(Step.values()[random.nextInt(Step.values().length)], store, map, random);
        }
        take(Step.PUT_LONGER, store, map, random);
        take(Step.RECLAIM, store, map, random);
        clock.move(Duration.ofSeconds(101).toMillis());
        awaitReclaimed(store, map);
      }
    }
  }
}
