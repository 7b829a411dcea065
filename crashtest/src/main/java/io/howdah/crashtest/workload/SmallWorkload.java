package io.howdah.crashtest.workload;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.HowdahException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.CrashScenario;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/**
 * Some steps, one after the other, in a store that has something in it. After a process kill, what
 * is found must be the content after the last step that returned, or after the one under way. After
 * a power cut, it is the content after any step since the last that was acknowledged as durable:
 * one thread uses one log partition, so what is lost is a tail.
 *
 * <p>A step that fails leaves a store that still serves what it held before or after that step, or
 * one that says it has stopped.
 */
final class SmallWorkload implements CrashScenario {

  /** Maximum length of the region. */
  static final long MAX_SIZE = 1 << 18;

  private static final int PREPARED = 3;

  /** Two leaves of a sorted map, which merge when the lower entries are removed. */
  private static final int PREPARED_SORTED = Step.SORTED + 8;

  private final List<Step> steps;
  private final UnaryOperator<Storage> medium;

  /** Content after each step that began; the first is that of the preparation. */
  private final List<Content> contents = new ArrayList<>();

  /** The backups that began. */
  private final Map<Long, Expected.Copy> copies = new HashMap<>();

  private int returned;
  private int durable;
  private boolean failed;
  private boolean usable;

  /** Operations on the disk before the last step began, with the crash points that follow it. */
  private long lastStepAt;

  SmallWorkload(List<Step> steps) {
    this.steps = List.copyOf(steps);
    this.medium = UnaryOperator.identity();
  }

  /**
   * Begins on a disk that is prepared already.
   *
   * @param prepared what it holds
   * @param medium puts something between the store and the disk
   */
  SmallWorkload(List<Step> steps, Content prepared, UnaryOperator<Storage> medium) {
    this.steps = List.copyOf(steps);
    this.medium = medium;
    contents.add(prepared);
  }

  static StoreOptions options(Machine machine) {
    return StoreOptions.defaults()
        .withExecution(machine.execution())
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1024)
        .withMaxSize(MAX_SIZE)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
  }

  static Store open(Machine machine) {
    return Store.open(options(machine).withStorage(machine.storage()));
  }

  @Override
  public void prepare(Machine machine) {
    Content content = Content.EMPTY;
    try (Store store = open(machine)) {
      Session session = new Session(store);
      for (long key = 1000; key < 1000 + PREPARED; key++) {
        long k = key;
        store.run(tx -> session.map.put(tx, k, "prepared"));
        content = content.put(k, 1, "prepared");
      }
      String value = Step.inNode(0);
      store.run(tx -> session.sortedPut(tx, -Step.SORTED, PREPARED_SORTED, value));
      content = content.sortedPut(-Step.SORTED, PREPARED_SORTED, value);
      // Pages of a block, and of nodes, that are there for another use.
      store.run(tx -> session.allocate(tx, 3, PREPARED));
      content = content.block(3, PREPARED);
      long more = 1000L * Step.SORTED;
      int count = 15 * Step.SORTED;
      store.run(tx -> session.sortedPut(tx, more, count, value));
      store.run(
          tx -> LongStream.range(more, more + count).forEach(k -> session.sorted.remove(tx, k)));
      store.run(TxOptions.sync(), tx -> session.queue.add(tx, 7L));
      content = content.added(7);
    }
    contents.add(content);
  }

  @Override
  public void work(Machine machine) {
    Store store = reopen(machine);
    try {
      Session session = session(store, machine);
      for (Step step : steps) {
        int n = contents.size();
        lastStepAt = machine.disk().operations();
        contents.add(step.apply(contents.getLast(), n));
        try {
          if (step == Step.REOPEN) {
            store.close();
            durable = returned;
            store = reopen(machine);
            session = session(store, machine);
          } else {
            run(step, session, n);
          }
        } catch (HowdahException e) {
          failed(session, e);
          throw e;
        }
        returned = n;
        if (step.isDurable(contents.get(n - 1))) {
          durable = n;
        }
      }
    } finally {
      close(store);
    }
    durable = failed ? durable : returned;
  }

  private Store reopen(Machine machine) {
    return Store.open(options(machine).withStorage(medium.apply(machine.storage())));
  }

  private Session session(Store store, Machine machine) {
    return new Session(store, step -> medium.apply(Copies.create(machine, step)));
  }

  private void run(Step step, Session session, long n) {
    if (step == Step.BACKUP) {
      copies.put(n, new Expected.Copy(contents.getLast(), false));
    }
    step.run(session, n);
    copies.computeIfPresent(n, (_, copy) -> new Expected.Copy(copy.content(), true));
  }

  private void close(Store store) {
    if (!failed) {
      store.close();
      return;
    }
    try {
      store.close();
    } catch (HowdahException e) {
      // The fault was noted already.
    }
  }

  /** The store goes on with what it held, or says that it does not. */
  private void failed(Session session, HowdahException cause) {
    failed = true;
    Content found;
    try {
      found = session.content();
    } catch (StoreFailedException | StoreClosedException e) {
      return;
    } catch (HowdahException e) {
      throw new Violation(
          "after " + cause + " a read fails without saying that the store has stopped: " + e, e);
    }
    usable = true;
    if (!found.equals(contents.getLast()) && !found.equals(contents.get(contents.size() - 2))) {
      throw new Violation("after " + cause + " the store serves " + found);
    }
  }

  /** Returns the content after the last step that began. */
  Content latest() {
    return contents.getLast();
  }

  /** Returns how many operations on the disk there were before the last step began. */
  long lastStepAt() {
    return lastStepAt;
  }

  /** Returns what may be found after a crash now. */
  Expected expected() {
    return new Expected(
        contents.subList(returned, contents.size()),
        contents.subList(durable, contents.size()),
        copies);
  }

  /** Returns whether a step failed. */
  boolean hasFailed() {
    return failed;
  }

  /** Returns whether the store went on after the step that failed. */
  boolean wasUsable() {
    return usable;
  }

  @Override
  public void check(Machine machine) {
    boolean mayHaveLost =
        machine.mayHaveLostUnforced() || machine.hasMet(CrashKind.CONTAINER_REPLACED);
    Judge judge = new Judge();
    judge.check(machine);
    Expected expected = expected();
    String complaint =
        (mayHaveLost ? expected.after(CrashKind.POWER_CUT) : expected).complaint(judge.found());
    if (!complaint.isEmpty()) {
      throw new Violation(complaint);
    }
  }
}
