package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.SegmentLayout;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A creation that is killed at each of its operations, and a store that is found nevertheless. */
@Tag("scaled")
class StoreCreationTest {

  private static final int VALUE = 4711;

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(1 << 17)
        .withPartitions(1)
        .withRingBytes(1 << 16)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH)
        .withOrecs(1 << 10);
  }

  /**
   * The kill leaves names in the kernel's memory that nobody has forced. The next process finds a
   * store by them, and promises; then the power goes, and takes whatever it has not forced either.
   */
  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void whatAKilledCreationLeftIsAsDurableAsWhatIsPromisedOnIt(CrashMoment moment) {
    int operation = OperationSample.first(moment);
    boolean created = false;
    for (; !created; operation += Math.min(3, OperationSample.STRIDE)) {
      SimulatedDisk disk = SimulatedDisk.builder(operation).unit(CrashUnit.SECTOR).build();
      disk.crashAtOperation(operation, moment);
      created = openAndClose(disk);
      disk.kill();
      try (Store store = Store.open(options(disk))) {
        store.run(
            TxOptions.sync(),
            tx -> {
              tx.root(0, tx.allocate(Long.BYTES));
              tx.putLong(tx.root(0), VALUE);
            });
        for (CrashChoice choice : choices(disk)) {
          SimulatedDisk cut = disk.fork();
          cut.powerCut(choice);
          try (Store again = Store.open(options(cut))) {
            long found = again.read(tx -> tx.getLong(tx.root(0)));
            assertThat(found)
                .as("killed at operation %d, then %s", operation, choice)
                .isEqualTo(VALUE);
          }
        }
      }
    }
    assertThat(operation).as("operations of a creation").isGreaterThan(30);
  }

  private static boolean openAndClose(SimulatedDisk disk) {
    try {
      Store.open(options(disk)).close();
      return !disk.hasCrashed();
    } catch (SimulatedCrash e) {
      return false;
    }
  }

  private static List<CrashChoice> choices(SimulatedDisk disk) {
    List<CrashChoice> choices = new ArrayList<>(disk.crashStates().choices(4));
    choices.add(CrashChoice.LOSE_ALL);
    return choices;
  }
}
