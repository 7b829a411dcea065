package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.UnsupportedStoreException;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A check finds nothing wrong with a store that opens, and changes nothing: wherever the process
 * ended in the life of a store, and again in the opening after that. {@code
 * -Dhowdah.crashStates=15} looks at every operation.
 */
@Tag("campaign")
final class CheckAgreesTest {

  private static final long SMALL = 1 << 17;
  private static final long LARGE = 1 << 18;
  private static final int WORDS = 12;
  private static final int PAGE = 4096;

  /** Every so many operations the process ends. */
  private static final int STEP = Math.max(1, 15 / Integer.getInteger("howdah.crashStates", 1));

  private int agreed;

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10);
  }

  /** What the store promised before it ended. */
  private static final class Promised {
    boolean isCreated;
    long durable;
  }

  private static void put(Store store, long value, Promised promised) {
    store.run(
        TxOptions.sync(),
        tx -> {
          if (tx.root(0) == 0) {
            tx.root(0, tx.allocate((long) WORDS * PAGE));
          }
          for (int i = 0; i < WORDS; i++) {
            tx.putLong(tx.root(0) + (long) i * PAGE, value);
          }
        });
    promised.durable = value;
  }

  /** Two openings, three checkpoints, a close between them, and a growth. */
  private static void live(SimulatedDisk disk, Promised promised) {
    try {
      try (Store store = Store.open(options(disk).withMaxSize(SMALL))) {
        promised.isCreated = true;
        put(store, 1, promised);
        store.admin().checkpoint();
        put(store, 2, promised);
        store.admin().checkpoint();
        put(store, 3, promised);
      }
      try (Store store = Store.open(options(disk).withMaxSize(LARGE))) {
        put(store, 4, promised);
        store.admin().checkpoint();
        put(store, 5, promised);
      }
    } catch (RuntimeException | SimulatedCrash e) {
      assertThat(disk.hasCrashed()).as("%s", e).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void aStoreThatOpensIsCalledSound(CrashMoment moment) {
    boolean isOver = false;
    for (int operation = firstOperation(moment); !isOver; operation += STEP) {
      SimulatedDisk disk = SimulatedDisk.builder(operation).unit(CrashUnit.SECTOR).build();
      disk.crashAtOperation(operation, moment);
      Promised promised = new Promised();
      live(disk, promised);
      isOver = !disk.hasCrashed();
      for (SimulatedDisk left : endings(disk)) {
        String what = moment + " operation " + operation + ", life " + agreed;
        requireAgreement(left, promised, what);
        requireAgreementAfterAnOpening(left, promised, operation, what);
      }
    }
    assertThat(agreed).isGreaterThan(50);
  }

  /** Of each moment other operations, if not all are looked at. */
  private static int firstOperation(CrashMoment moment) {
    return switch (moment) {
      case BEFORE -> 1;
      case MIDDLE -> 2;
      case AFTER -> 3;
    };
  }

  private static List<SimulatedDisk> endings(SimulatedDisk disk) {
    List<SimulatedDisk> endings = new ArrayList<>();
    SimulatedDisk killed = disk.fork();
    killed.kill();
    endings.add(killed);
    List<CrashChoice> choices = new ArrayList<>(disk.crashStates().choices(1));
    choices.add(CrashChoice.LOSE_ALL);
    for (CrashChoice choice : choices) {
      SimulatedDisk cut = disk.fork();
      cut.powerCut(choice);
      endings.add(cut);
    }
    return endings;
  }

  /** The process ends again while it opens the store. */
  private void requireAgreementAfterAnOpening(
      SimulatedDisk left, Promised promised, int operation, String what) {
    SimulatedDisk disk = left.fork();
    disk.crashAtOperation(disk.operations() + 1 + operation % 40, CrashMoment.AFTER);
    try {
      Store.open(options(disk).withMaxSize(LARGE)).close();
    } catch (RuntimeException | SimulatedCrash e) {
      assertThat(disk.hasCrashed()).as("%s", e).isTrue();
    }
    disk.kill();
    requireAgreement(disk, promised, what + ", then in the opening");
  }

  private void requireAgreement(SimulatedDisk left, Promised promised, String what) {
    SimulatedDisk checked = left.fork();
    long written = changes(checked);
    try {
      StoreBackups.check(checked.storage(), options(checked).execution());
    } catch (UnsupportedStoreException e) {
      assertThat(promised.isCreated).as("%s: %s", what, e.getMessage()).isFalse();
    }
    assertThat(changes(checked)).as(what).isEqualTo(written);
    try (Store store = Store.open(options(left.fork()).withMaxSize(LARGE))) {
      long found = store.read(tx -> tx.root(0) == 0 ? 0 : tx.getLong(tx.root(0)));
      assertThat(found).as(what).isGreaterThanOrEqualTo(promised.durable);
    }
    agreed++;
  }

  /** A check may force what it has read of the superblock, which changes no file. */
  private static long changes(SimulatedDisk disk) {
    return Stream.of(
            Operation.WRITE,
            Operation.CREATE,
            Operation.CREATE_DIRECTORY,
            Operation.DELETE,
            Operation.RENAME,
            Operation.SET_SIZE)
        .mapToLong(disk::operations)
        .sum();
  }
}
