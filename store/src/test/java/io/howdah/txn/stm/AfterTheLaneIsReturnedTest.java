package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.howdah.DurableScope;
import io.howdah.FaultyRegion;
import io.howdah.FaultyRegion.InjectedError;
import io.howdah.LoggedStore;
import io.howdah.Receipt;
import io.howdah.Session;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.TestStores;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.NewObjects;
import io.howdah.txn.words.OrecTable;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An Error is thrown into every call that a transaction makes once its body has returned, one after
 * the other: into its accesses to shared memory and into its use of threads and time. Whatever is
 * thrown after the lane is returned, the caller gets the result, the body runs once, and the
 * attempt, the lane and the gate are given back.
 */
@Timeout(300)
@Tag("scaled")
final class AfterTheLaneIsReturnedTest {

  private static final long COUNTER = 8192;
  private static final int KEYS = 6;
  private static final int MOST_CALLS = 20_000;
  private static final int MOST_KEYS = 50 * KEYS;

  /** How many calls before the return of the lane are left out, for one that fails. */
  private static final int STRIDE = 16;

  /** Not all transactions make equally many calls, so one without an error is not the end. */
  private static final int ENOUGH_WITHOUT = 3 * STRIDE;

  /** Of the ways to commit with a log one in so many is taken; campaigns take all. */
  private static final int EACH = Integer.getInteger("howdah.stride", 5);

  /** How a program runs a transaction. */
  enum Way {
    RUN,
    CALL,
    SUBMIT,
    IRREVOCABLE,
    LIMITED,
    SESSION,
    EXPLICIT,
    SCOPE
  }

  /**
   * One way to run a transaction, in one kind of store.
   *
   * @param isShared whether lanes share a partition (R33), or have one each, as by default
   */
  record Case(boolean isLogged, boolean isShared, Durability durability, Way way) {

    int partitions() {
      return isShared ? 1 : 2 * StoreOptions.defaults().execution().availableProcessors();
    }
  }

  static Stream<Case> cases() {
    List<Case> cases = new ArrayList<>();
    boolean isShared = false;
    int number = 0;
    for (Way way : Way.values()) {
      cases.add(new Case(false, false, Durability.SYNC, way));
      for (Durability durability : Durability.values()) {
        if (number++ % EACH == 0) {
          cases.add(new Case(true, isShared, durability, way));
        }
        isShared = !isShared;
      }
    }
    return cases.stream();
  }

  /** Threads and time that fail when the trigger says so. */
  private static final class FaultyThreads extends SystemThreads {
    private final FaultyRegion.Trigger trigger;

    /** How often a thread has parked that waits for a change. */
    private final AtomicInteger retryParks = new AtomicInteger();

    FaultyThreads(FaultyRegion.Trigger trigger) {
      this.trigger = trigger;
    }

    @Override
    public Thread start(String name, Runnable body) {
      return system.start(name, body);
    }

    @Override
    public long nanoTime() {
      trigger.access();
      return super.nanoTime();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      trigger.access();
      super.parkNanos(blocker, nanos);
    }

    @Override
    public void parkThroughInterrupt(Object blocker, long nanos) {
      if (blocker instanceof RetryWaits) {
        retryParks.incrementAndGet();
      }
      super.parkThroughInterrupt(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {
      trigger.access();
      super.unpark(thread);
    }

    @Override
    public int threadGroup(int groups) {
      trigger.access();
      return super.threadGroup(groups);
    }
  }

  /** A store whose memory and threads fail, and what its transactions change. */
  private static final class Subject implements AutoCloseable {
    final FaultyRegion.Trigger trigger = new FaultyRegion.Trigger();
    final Store store;
    private final FaultyThreads threads = new FaultyThreads(trigger);
    private final Thread waiter;
    private final @Nullable LoggedStore logged;
    private final PersistentMap<Long, Long> map;
    private final AtomicInteger bodies = new AtomicInteger();
    private final AtomicInteger hooks = new AtomicInteger();
    private int keys;

    Subject(boolean isLogged, int partitions) {
      StoreOptions options =
          StoreOptions.defaults()
              .withMaxSize(1 << 20)
              .withPartitions(partitions)
              .withRingBytes(1 << 16)
              .withOrecs(1 << 12)
              .withCloseTimeout(Duration.ofSeconds(60))
              .withExecution(threads);
      logged =
          isLogged
              ? new LoggedStore(
                  options,
                  SimulatedDisk.seeded(1).storage(),
                  memory -> new FaultyRegion(memory, trigger, false))
              : null;
      store = logged == null ? inMemory(options) : logged.store;
      map = store.map("map", Codec.int64(), Codec.int64());
      waiter = Thread.ofPlatform().daemon().start(this::waitForEver);
    }

    /** Returns when the next commit has a thread to wake. */
    @SuppressWarnings("ThreadPriorityCheck") // lets the waiter run; no outcome depends on it
    private void awaitWaiter() {
      int before = threads.retryParks.get();
      LockSupport.unpark(waiter); // an error may have kept the last commit from it
      while (threads.retryParks.get() == before) {
        Thread.yield();
      }
    }

    @SuppressWarnings("EmptyCatch") // said below
    private void waitForEver() {
      try {
        store.run(
            tx -> {
              tx.getLong(COUNTER); // which each transaction changes
              tx.retry();
            });
      } catch (StoreClosedException | StoreFailedException e) {
        // The end.
      }
    }

    private Store inMemory(StoreOptions options) {
      return TestStores.inMemory(
          options,
          faulty(options.maxSize()),
          faulty(OrecTable.lengthBytes(options.orecs())),
          faulty(CommitLanes.wordsLengthBytes(options.partitions())));
    }

    private Region faulty(long bytes) {
      return new FaultyRegion(Regions.anonymous(bytes), trigger, false);
    }

    /** Counts, frees a run of pages and takes another, and fills a map that then has to grow. */
    private void body(Tx tx, long n) {
      bodies.incrementAndGet();
      tx.putLong(COUNTER, tx.getLong(COUNTER) + 1);
      tx.free(tx.allocate(40_000));
      tx.free(tx.allocate(48));
      for (int i = 0; i < KEYS; i++) {
        map.put(tx, (long) keys + i, 1L);
      }
      tx.onCommit(hooks::incrementAndGet);
      trigger.arm(n);
    }

    /** Runs one transaction, into whose n-th call from the end of its body on is thrown. */
    private void transact(Case how, long n) {
      awaitWaiter();
      TxOptions options = TxOptions.of(how.durability());
      switch (how.way()) {
        case RUN -> store.run(TxOptions.of(how.durability()), tx -> body(tx, n));
        case CALL ->
            assertThat(
                    store.<String, RuntimeException>call(
                        TxOptions.of(how.durability()),
                        tx -> {
                          body(tx, n);
                          return "result";
                        }))
                .isEqualTo("result");
        case SUBMIT -> {
          Receipt<String> commit =
              store.callWithReceipt(
                  options,
                  tx -> {
                    body(tx, n);
                    return "result";
                  });
          trigger.disarm();
          assertThat(commit.value()).isEqualTo("result");
          assertThat(commit.lsn()).isPositive();
          if (how.durability() == Durability.SYNC) {
            assertThat(commit.isStable()).isTrue();
          }
        }
        case IRREVOCABLE ->
            store.callWithReceipt(
                options.withIrrevocable(),
                tx -> {
                  body(tx, n);
                  return "";
                });
        case LIMITED ->
            store.callWithReceipt(
                options.withTimeLimit(Duration.ofMinutes(10)),
                tx -> {
                  body(tx, n);
                  return "";
                });
        case SESSION -> {
          Session session = store.session();
          body(session.begin(options), n);
          session.commit();
        }
        case EXPLICIT -> {
          Session txSession = store.session();
          Tx tx = txSession.begin(options);
          body(tx, n);
          txSession.commit();
        }
        case SCOPE -> {
          DurableScope scope = store.durability().scope(how.durability());
          scope.run(tx -> body(tx, n));
          trigger.disarm(); // a wait alone, which may be tried again, may fail
          scope.close();
        }
      }
    }

    long counter() {
      return store.read(TxOptions.async(), tx -> tx.getLong(COUNTER));
    }

    @Override
    public void close() {
      if (logged != null) {
        logged.close();
      } else {
        store.close();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void anErrorBehindItNeitherRepeatsTheBodyNorHidesTheResult(Case how) {
    int behind = 0;
    int without = 0;
    Subject subject = new Subject(how.isLogged(), how.partitions());
    try {
      long firstBehind = 0;
      for (long n = 1; n < MOST_CALLS; n += firstBehind == 0 ? STRIDE : 1) {
        if (subject.keys > MOST_KEYS) {
          subject.close();
          subject = new Subject(how.isLogged(), how.partitions());
        }
        long before = subject.counter();
        subject.bodies.set(0);
        subject.hooks.set(0);
        boolean isStopped = false;
        boolean hasReturned = false;
        boolean hasFired;
        try {
          subject.transact(how, n);
          hasReturned = true;
        } catch (InjectedError e) {
          // Judged below.
        } catch (StoreFailedException e) {
          isStopped = true;
        } finally {
          hasFired = subject.trigger.hasFired();
          subject.trigger.disarm();
        }
        if (isStopped) {
          try {
            subject.close();
          } catch (StoreFailedException e) {
            // It has said so before.
          }
          subject = new Subject(how.isLogged(), how.partitions());
          continue;
        }
        assertThat(subject.counter() - before)
            .as("commits of one transaction, error in call " + n)
            .isEqualTo(hasReturned ? 1 : 0);
        if (hasReturned) {
          assertThat(subject.bodies.get()).as("bodies, error in call " + n).isOne();
          assertThat(subject.hooks.get()).as("hooks, error in call " + n).isOne();
          subject.keys += KEYS;
          behind += hasFired ? 1 : 0;
          if (firstBehind == 0) {
            firstBehind = Math.max(1, n - ENOUGH_WITHOUT);
            n = firstBehind - 1;
            continue;
          }
        }
        without += hasFired ? 0 : 1;
        if (without == ENOUGH_WITHOUT && behind == 0 && firstBehind > 1) {
          // The first transaction that committed made many more calls than those after it: it found
          // new memory, or a table to grow. So the search goes back.
          firstBehind = Math.max(1, firstBehind - ENOUGH_WITHOUT);
          n = firstBehind - 1;
          without = 0;
          continue;
        }
        if (without == ENOUGH_WITHOUT) {
          assertThat(behind).as("errors after the return of the lane").isPositive();
          assertUsable(subject);
          return;
        }
      }
      fail("the transaction makes no end of calls");
    } finally {
      subject.close();
    }
  }

  /** What cannot be forgotten of new objects once. */
  private static final class FailingList extends ArrayList<Object> {
    private static final long serialVersionUID = 1;
    private boolean hasFailed;

    @Override
    public boolean isEmpty() {
      return hasFailed && super.isEmpty();
    }

    @Override
    public void clear() {
      if (!hasFailed) {
        hasFailed = true;
        throw new StackOverflowError("by the test");
      }
      super.clear();
    }
  }

  private static FailingList failAtTheEnd(Tx tx) {
    try {
      Field made = NewObjects.class.getDeclaredField("made");
      made.setAccessible(true);
      FailingList failing = new FailingList();
      made.set(TxHandle.of(tx).words().newObjects, failing);
      return failing;
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the list of new objects", e);
    }
  }

  @Test
  void anErrorWhileNewObjectsAreForgottenDoesNotHideTheResult() {
    List<FailingList> failing = new ArrayList<>();
    try (Subject subject = new Subject(false, 1)) {
      Store store = subject.store;
      for (TxOptions how : List.of(TxOptions.defaults(), TxOptions.defaults().withIrrevocable())) {
        long before = subject.counter();
        String result =
            store.call(
                how,
                tx -> {
                  tx.putLong(COUNTER, before + 1);
                  failing.add(failAtTheEnd(tx));
                  return "result";
                });
        assertThat(result).isEqualTo("result");
        Session session = store.session();
        Tx tx = session.begin(how);
        tx.putLong(COUNTER, before + 2);
        failing.add(failAtTheEnd(tx));
        assertThat(session.commit()).isPositive();
        assertThat(subject.counter()).isEqualTo(before + 2);
      }
      assertThat(failing).hasSize(4).allMatch(list -> list.hasFailed);
      assertUsable(subject);
    }
  }

  /** Lanes, orecs and the gate are free, and closing waits for no attempt. */
  private static void assertUsable(Subject subject) {
    long before = subject.counter();
    for (int i = 0; i < 4; i++) {
      subject.store.callWithReceipt(
          TxOptions.sync().withIrrevocable(),
          tx -> {
            tx.putLong(COUNTER, tx.getLong(COUNTER) + 1);
            return 0;
          });
    }
    assertThat(subject.counter()).isEqualTo(before + 4);
    assertThat(subject.store.close(Duration.ofSeconds(60))).as("all contexts are back").isTrue();
  }
}
