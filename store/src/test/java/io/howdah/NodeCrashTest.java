package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Transactions of nodes in a store that dies at each of its operations: what is found is the state
 * after one of them, and after all that were acknowledged.
 */
@Tag("scaled")
class NodeCrashTest {

  private static final int TRANSACTIONS = 30;

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(1 << 20)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH)
        .withOrecs(1 << 10);
  }

  /** Returns how many transactions were acknowledged; negative if the store did not die. */
  private static int run(SimulatedDisk disk) {
    int done = 0;
    try (Store store = Store.open(options(disk))) {
      NodeRecords.create(store);
      SplittableRandom random = new SplittableRandom(3);
      for (; done < TRANSACTIONS; done++) {
        SplittableRandom each = random.split();
        store.run(TxOptions.sync(), tx -> NodeRecords.change(tx, each.split()));
        if (done % 10 == 9) {
          store.admin().checkpoint();
        }
      }
    } catch (SimulatedCrash | StoreFailedException e) {
      assertThat(disk.hasCrashed()).isTrue();
      return done;
    }
    return disk.hasCrashed() ? done : -1 - done;
  }

  private static void check(SimulatedDisk disk, int acknowledged, String description) {
    try (Store store = Store.open(options(disk))) {
      store.read(
          tx -> {
            if (tx.root(0) == 0) {
              assertThat(acknowledged).as(description).isZero();
              return 0;
            }
            assertThat(NodeRecords.count(tx))
                .as(description)
                .isBetween((long) acknowledged, acknowledged + 1L);
            NodeRecords.check(tx);
            return 0;
          });
      if (store.<Boolean, RuntimeException>read(tx -> tx.root(0) != 0)) {
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 3; i++) {
          store.run(tx -> NodeRecords.change(tx, random));
        }
        store.run(NodeRecords::check);
      }
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(description, e);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MIDDLE", "AFTER"})
  void nodesAreWholeAfterAPowerCutAtAnyOperation(CrashMoment moment) {
    int operation = OperationSample.first(moment);
    for (int acknowledged = 0; acknowledged >= 0; operation += OperationSample.STRIDE) {
      SimulatedDisk disk = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();
      disk.crashAtOperation(operation, moment);
      acknowledged = run(disk);
      List<CrashChoice> choices = new ArrayList<>(disk.crashStates().choices(1));
      choices.add(CrashChoice.LOSE_ALL);
      for (CrashChoice choice : choices) {
        SimulatedDisk cut = disk.fork();
        cut.powerCut(choice);
        int done = acknowledged < 0 ? -1 - acknowledged : acknowledged;
        check(cut, done, moment + " of operation " + operation + ", " + choice);
      }
    }
    assertThat(operation).as("operations").isGreaterThan(100);
  }

  @Test
  void nodesAreWholeAfterAKill() {
    for (int seed = 0; seed < 20; seed++) {
      SimulatedDisk disk = SimulatedDisk.builder(seed).build();
      Store store = Store.open(options(disk));
      NodeRecords.create(store);
      SplittableRandom random = new SplittableRandom(seed);
      int done = random.nextInt(60);
      for (int i = 0; i < done; i++) {
        SplittableRandom each = random.split();
        store.run(tx -> NodeRecords.change(tx, each.split()));
      }
      disk.kill();
      assertThatThrownBy(store::close).isNotNull();
      check(disk, done, "seed " + seed);
    }
  }

  /** What waits for its replay is replayed before a transaction reads it or writes there. */
  @Test
  void nodesAreReadAndWrittenBeforeTheLogIsReplayed() {
    for (int seed = 0; seed < 5; seed++) {
      SimulatedDisk disk = SimulatedDisk.builder(seed).build();
      SplittableRandom random = new SplittableRandom(seed);
      try (Store store = Store.open(options(disk))) {
        NodeRecords.create(store);
        for (int i = 0; i < 20; i++) {
          store.run(tx -> NodeRecords.change(tx, random));
        }
      }
      Store store = Store.open(options(disk));
      for (int i = 0; i < 4; i++) { // so few that all of the log is read before the store opens
        store.run(tx -> NodeRecords.change(tx, random));
      }
      disk.kill();
      assertThatThrownBy(store::close).isNotNull();
      HeldReplay held = new HeldReplay();
      try (Store again = Store.open(options(disk).withExecution(held))) {
        assertThat(again.admin().replayStats().wordsLeft()).isPositive();
        again.run(tx -> NodeRecords.change(tx, random));
        again.run(NodeRecords::check);
        again.run(tx -> NodeRecords.change(tx, random));
        assertThat(again.admin().replayStats().chunksOnDemand()).isPositive();
        held.release();
        again.admin().checkpoint();
        assertThat(again.admin().replayStats().isDone()).isTrue();
        again.run(NodeRecords::check);
      } finally {
        held.release();
      }
    }
  }

  /** A program need not have read a word that it overwrites. */
  @Test
  void aNodeThatIsWrittenUnreadIsNotOverwrittenByTheReplay() {
    SimulatedDisk disk = SimulatedDisk.builder(1).build();
    long[] node = new long[1];
    try (Store store = Store.open(options(disk))) {
      store.run(
          tx -> {
            node[0] = words(tx).heap.allocateNode(4096);
            words(tx).nodes.write(node[0], 0, new long[512], 0, 512);
            words(tx).nodes.write(node[0], 0, 1);
          });
    }
    Store store = Store.open(options(disk));
    store.run(tx -> words(tx).nodes.write(node[0], 7, 2));
    disk.kill();
    assertThatThrownBy(store::close).isNotNull();
    HeldReplay held = new HeldReplay();
    try (Store again = Store.open(options(disk).withExecution(held))) {
      assertThat(again.admin().replayStats().wordsLeft()).isPositive();
      again.run(tx -> words(tx).nodes.write(node[0], 7, 3));
      held.release();
      again.admin().checkpoint();
      assertThat(again.admin().replayStats().isDone()).isTrue();
      long found = again.call(tx -> readWord(tx, node[0], 7));
      assertThat(found).isEqualTo(3);
    } finally {
      held.release();
    }
  }

  private static Words words(Tx tx) {
    return TxHandle.of(tx).words();
  }

  private static long readWord(Tx tx, long node, int word) {
    long[] found = new long[1];
    while (!words(tx).nodes.read(node, word, 1, found, 0)) {
      // the snapshot has moved
    }
    return found[0];
  }
}
