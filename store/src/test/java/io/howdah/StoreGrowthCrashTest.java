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

/** An opening with a larger size, and a power cut at each of its operations. */
@Tag("scaled")
class StoreGrowthCrashTest {

  private static final int VALUE = 4711;
  private static final long SMALL = 1 << 17;
  private static final long LARGE = 1 << 18;

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withPartitions(1)
        .withRingBytes(1 << 16)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH)
        .withOrecs(1 << 10);
  }

  private static void create(SimulatedDisk disk) {
    try (Store store = Store.open(options(disk).withMaxSize(SMALL))) {
      store.run(
          TxOptions.sync(),
          tx -> {
            tx.root(0, tx.allocate(Long.BYTES));
            tx.putLong(tx.root(0), VALUE);
          });
    }
  }

  /** The lengths of the files may be lost, all or some of them, until they are forced. */
  @ParameterizedTest
  @EnumSource(names = {"MIDDLE", "AFTER"})
  void aStoreOpensWhateverAPowerCutLeavesOfItsGrowth(CrashMoment moment) {
    SimulatedDisk created = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();
    create(created);
    int operation = OperationSample.first(moment);
    for (boolean hasGrown = false; !hasGrown; operation += OperationSample.STRIDE) {
      SimulatedDisk disk = created.fork();
      disk.crashAtOperation(disk.operations() + operation, moment);
      hasGrown = grow(disk);
      List<CrashChoice> choices = new ArrayList<>(disk.crashStates().choices(2));
      choices.add(CrashChoice.LOSE_ALL);
      for (CrashChoice choice : choices) {
        SimulatedDisk cut = disk.fork();
        cut.powerCut(choice);
        String description = "cut at operation " + operation + ", " + choice;
        try (Store store = Store.open(options(cut).withMaxSize(LARGE))) {
          long found = store.read(tx -> tx.getLong(tx.root(0)));
          assertThat(found).as(description).isEqualTo(VALUE);
          store.run(tx -> tx.root(1, tx.allocate(SMALL / 2)));
        }
      }
    }
    assertThat(operation).as("operations of a growth").isGreaterThan(30);
  }

  private static boolean grow(SimulatedDisk disk) {
    try {
      Store.open(options(disk).withMaxSize(LARGE)).close();
      return !disk.hasCrashed();
    } catch (SimulatedCrash e) {
      return false;
    }
  }
}
