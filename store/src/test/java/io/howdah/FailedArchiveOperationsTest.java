package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.archive.ArchiveMoment;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each kind of operation on the place of an archive fails once, in each kind of object, before the
 * archive begins or while it is written. The store goes on. An update that returns has made durable
 * what it says: the place then loses what was not forced, and the rest is restored.
 */
final class FailedArchiveOperationsTest {

  private static final List<String> OBJECTS = List.of("archive.howdah", ".base.", ".log.", "");

  private static final Set<Operation> CHANGES =
      EnumSet.of(
          Operation.CREATE,
          Operation.WRITE,
          Operation.FORCE,
          Operation.FORCE_DIRECTORY,
          Operation.RENAME,
          Operation.LIST);

  private static final int MAX_NTH = 2;
  private static final int UPDATES = 5;

  static List<Arguments> faults() {
    List<Arguments> faults = new ArrayList<>();
    for (boolean fromStart : new boolean[] {true, false}) {
      for (String object : OBJECTS) {
        for (Operation kind : CHANGES) {
          for (Reason reason : List.of(Reason.IO, Reason.NO_SPACE)) {
            faults.add(Arguments.of(fromStart, object, kind, reason));
          }
        }
      }
    }
    return faults;
  }

  @ParameterizedTest
  @MethodSource("faults")
  void noUpdateHidesAFailure(boolean fromStart, String object, Operation kind, Reason reason) {
    int failures = 1;
    for (int nth = 1; nth <= MAX_NTH && failures > 0; nth++) {
      failures = live(fromStart, Fault.onNth(kind, nth).in(object).with(reason));
    }
  }

  /** Returns how many updates failed. */
  private static int live(boolean fromStart, Fault fault) {
    SimulatedDisk disk = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();
    SimulatedDisk place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();
    if (fromStart) {
      place.inject(fault);
    }
    int failures = 0;
    try (Store store = ArchiveTest.open(disk, place)) {
      for (int value = 1; value <= UPDATES; value++) {
        if (value == 2 && !fromStart) {
          place.inject(fault);
        }
        ArchiveTest.put(store, 1, value);
        boolean updated = false;
        try {
          store.admin().updateArchive();
          updated = true;
        } catch (RuntimeException e) {
          assertThat(e).hasMessageContaining("failed: " + said(fault.reason()));
          failures++;
        }
        if (updated) {
          assertThat(store.admin().archive().orElseThrow().restorable()).isTrue();
          SimulatedDisk left = place.fork();
          left.powerCut(CrashChoice.LOSE_ALL);
          left.clearFaults();
          assertThat(ArchiveTest.restored(left, ArchiveMoment.latest()).get(1))
              .as("%s, update %d", fault, value)
              .isEqualTo(value);
        }
      }
    }
    assertThat(failures).as("of one failed operation").isLessThanOrEqualTo(1);
    return failures;
  }

  private static String said(Reason reason) {
    return reason == Reason.IO ? "input/output error" : "no space left";
  }
}
