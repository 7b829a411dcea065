package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Execution;
import io.howdah.core.StoreFailedException;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each kind of operation that changes a file of a store fails once, in each of the store's files
 * and in each part of its life. The store stops, or tries again, or goes on without what no promise
 * needs. In all cases the power goes then, with everything that was not forced, and what was
 * acknowledged is there at the next opening. A failure that is ignored shows as a commit that is
 * not there, as a page that does not match its sum, or as a store that does not stop.
 */
final class FailedOperationsTest {

  private static final long WORDS = 8192;

  /**
   * So many that a part of a group of the journal, which a failed write leaves, is not all of it.
   */
  private static final int WORDS_USED = 4096;

  private static final int STRIDE = 8;
  private static final int COMMITS = 4;

  /** Operations of one kind in one file that fail, one in each run. */
  private static final int MAX_NTH = 2;

  private static final List<String> FILES =
      List.of(
          "log/0",
          "log/forced",
          "log/summary",
          "ring",
          "journal",
          "image",
          "image.sums",
          "store.howdah");

  /** A store needs none of these to keep its promise. */
  private static final Set<String> ADVICE = Set.of("log/forced", "log/summary");

  private static final Set<Operation> CHANGES =
      EnumSet.of(
          Operation.CREATE,
          Operation.WRITE,
          Operation.SET_SIZE,
          Operation.FORCE,
          Operation.FORCE_DIRECTORY,
          Operation.RENAME,
          Operation.DELETE);

  private static final Set<Operation> TAKES_SPACE =
      EnumSet.of(Operation.CREATE, Operation.WRITE, Operation.SET_SIZE);

  /** When the operation fails. */
  enum Phase {
    CREATION,
    OPENING,
    RUNNING
  }

  /** What becomes of a store. */
  enum Outcome {
    GOES_ON,
    TRIES_AGAIN,
    STOPS,
    DOES_NOT_OPEN,
    DOES_NOT_CLOSE
  }

  /** What was promised. */
  private static final class Book {
    private long acknowledged;
    private long tried;
  }

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(1 << 20)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10)
        .withMaxLogBytes(1L << 40)
        .withLogSegmentBytes(1 << 20)
        .withRecoveryGoal(Duration.ofHours(1));
  }

  private static void commit(Store store, Book book) {
    for (int i = 0; i < COMMITS; i++) {
      long value = ++book.tried;
      store.run(
          TxOptions.sync(),
          tx -> {
            for (int word = 0; word < WORDS_USED; word += STRIDE) {
              tx.putLong(WORDS + 8L * word, value);
            }
          });
      book.acknowledged = value;
    }
  }

  private static final SimulatedDisk CRASHED = crashed();

  /** A store with two checkpoints behind it and a log to replay, as a power cut left it. */
  private static SimulatedDisk crashed() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    Book book = new Book();
    try (Store store = Store.open(options(disk))) {
      for (int i = 0; i < 3; i++) {
        if (i > 0) {
          store.admin().checkpoint();
        }
        commit(store, book);
      }
      SimulatedDisk left = disk.fork();
      left.powerCut(CrashChoice.LOSE_ALL);
      return left;
    }
  }

  /** Lives with a fault until something stops it; a store that stopped gives nothing more. */
  private static Outcome live(SimulatedDisk disk, Book book, Fault fault, Phase phase) {
    if (phase != Phase.RUNNING) {
      disk.inject(fault);
    }
    Store store;
    try {
      store = Store.open(options(disk));
    } catch (StorageException e) {
      return Outcome.DOES_NOT_OPEN;
    }
    if (phase == Phase.RUNNING) {
      disk.inject(fault);
    }
    Outcome outcome = Outcome.GOES_ON;
    try {
      commit(store, book);
      for (int i = 0; i < 2; i++) {
        try {
          store.admin().checkpoint();
        } catch (StorageException e) {
          outcome = Outcome.TRIES_AGAIN;
          store.admin().checkpoint();
        }
        commit(store, book);
      }
    } catch (StoreFailedException e) {
      outcome = Outcome.STOPS;
      assertThat(e).as("what has failed first").hasStackTraceContaining(said(fault));
      assertThatThrownBy(() -> commit(store, book)).isInstanceOf(StoreFailedException.class);
    }
    SimulatedDisk open = disk.fork();
    open.powerCut(CrashChoice.LOSE_ALL);
    open.clearFaults();
    requireAcknowledged(open, book, 1, "power cut of an open store");
    try {
      store.close();
    } catch (StoreFailedException e) {
      outcome = Outcome.STOPS;
    } catch (StorageException e) {
      outcome = Outcome.DOES_NOT_CLOSE;
    }
    return outcome;
  }

  private static void requireAcknowledged(SimulatedDisk disk, Book book, int lives, String when) {
    for (int life = 0; life < lives; life++) { // the second one has what the first one's close left
      try (Store store = Store.open(options(disk))) {
        long[] leastAndMost =
            store.read(
                tx -> {
                  long[] found = {Long.MAX_VALUE, Long.MIN_VALUE};
                  for (int word = 0; word < WORDS_USED; word += STRIDE) {
                    long value = tx.getLong(WORDS + 8L * word);
                    found[0] = Math.min(found[0], value);
                    found[1] = Math.max(found[1], value);
                  }
                  return found;
                });
        assertThat(leastAndMost[0])
            .as("%s, life %s", when, life)
            .isBetween(book.acknowledged, book.tried)
            .isEqualTo(leastAndMost[1]);
      }
      StoreBackups.checkLocked(disk.storage(), Execution.system());
    }
  }

  /** Returns whether a store that goes on after this failure has ignored it. */
  private static boolean isNeeded(Fault fault, Phase phase) {
    boolean isContent =
        fault.operation() == Operation.WRITE || fault.operation() == Operation.FORCE;
    return fault.nth() == 1
        && isContent
        && phase != Phase.CREATION
        && !ADVICE.contains(fault.file())
        && !fault.file().equals("ring");
  }

  /** Returns whether the store must go on after this failure, and repeat what has failed. */
  private static boolean isRepeated(Fault fault, Phase phase) {
    return fault.nth() == 1
        && fault.operation() == Operation.WRITE
        && fault.reason() == Reason.NO_SPACE
        && phase != Phase.CREATION
        && (fault.file().equals("journal") || fault.file().startsWith("image"));
  }

  private static String said(Fault fault) {
    return "failed: " + (fault.reason() == Reason.IO ? "input/output error" : "no space left");
  }

  static List<Arguments> faults() {
    List<Arguments> faults = new ArrayList<>();
    for (Phase phase : Phase.values()) {
      for (String file : FILES) {
        for (Operation kind : CHANGES) {
          faults.add(Arguments.of(phase, file, kind, Reason.IO));
          if (TAKES_SPACE.contains(kind)) {
            faults.add(Arguments.of(phase, file, kind, Reason.NO_SPACE));
          }
        }
      }
    }
    return faults;
  }

  @ParameterizedTest
  @MethodSource("faults")
  void noFailureIsIgnored(Phase phase, String file, Operation kind, Reason reason) {
    Outcome outcome = Outcome.STOPS;
    for (int nth = 1; nth <= MAX_NTH && outcome != Outcome.GOES_ON; nth++) {
      Book book = new Book();
      SimulatedDisk disk = SimulatedDisk.seeded(1);
      if (phase != Phase.CREATION) {
        disk = CRASHED.fork();
        book.acknowledged = 3 * COMMITS;
        book.tried = book.acknowledged;
      }
      Fault fault = Fault.onNth(kind, nth).in(file).with(reason);
      outcome = live(disk, book, fault, phase);
      if (isNeeded(fault, phase) && reason == Reason.IO) {
        assertThat(outcome).as("%s", fault).isNotIn(Outcome.GOES_ON, Outcome.TRIES_AGAIN);
      }
      if (isRepeated(fault, phase)) {
        assertThat(outcome).as("%s", fault).isEqualTo(Outcome.TRIES_AGAIN);
      }
      if (ADVICE.contains(file) && phase == Phase.RUNNING) {
        assertThat(outcome).as("%s", fault).isEqualTo(Outcome.GOES_ON);
      }
      disk.powerCut(CrashChoice.LOSE_ALL);
      disk.clearFaults();
      requireAcknowledged(disk, book, 2, fault.toString());
    }
  }
}
