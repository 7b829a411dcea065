package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.CrashControl;
import io.howdah.testkit.CrashTest;
import io.howdah.testkit.Machine;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Blocks;
import java.lang.invoke.MethodHandles;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Trees of objects on a disk that loses what was not forced, cut off at any operation: they are
 * those of the transactions that were acknowledged, and when they are freed, nothing is left.
 */
final class OwnershipCrashTest {

  @Persistent
  interface Branch {
    @Owned
    @Length(2)
    @Nullable Branch branches(int index);

    void branches(int index, @Nullable Branch v);

    @Nullable String text();

    void text(@Nullable String v);
  }

  private static final class Trees {
    private final PersistentType<Branch> type;
    private final PersistentMap<Long, Branch> trees;

    Trees(Store store) {
      type = store.type(Branch.class, MethodHandles.lookup());
      trees = store.map("trees", Codec.int64(), type.codec());
    }

    private Branch grow(Tx tx, int depth, int n) {
      Branch branch = type.create(tx);
      branch.text("branch " + depth + " of " + n);
      if (depth > 0) {
        branch.branches(0, grow(tx, depth - 1, n));
        branch.branches(1, grow(tx, depth - 1, n));
      }
      return branch;
    }

    void step(Tx tx, int n) {
      SplittableRandom random = new SplittableRandom(n);
      long key = random.nextInt(3);
      Branch tree = trees.get(tx, key);
      if (tree == null) {
        trees.put(tx, key, grow(tx, 2, n));
      } else if (random.nextInt(3) == 0) {
        trees.remove(tx, key);
        type.free(tx, tree);
      } else {
        Branch half = tree.branches(0);
        if (half != null && random.nextBoolean()) {
          type.detach(tx, half);
          tree.branches(1, half); // frees what was there
        } else {
          tree.branches(random.nextInt(2), grow(tx, random.nextInt(3), n));
        }
      }
    }

    private static String text(@Nullable Branch branch) {
      return branch == null
          ? "-"
          : branch.text() + "(" + text(branch.branches(0)) + "," + text(branch.branches(1)) + ")";
    }

    String state(Tx tx) {
      StringBuilder state = new StringBuilder();
      for (long key = 0; key < 3; key++) {
        state.append(text(trees.get(tx, key))).append('\n');
      }
      return state.toString();
    }

    void freeAll(Tx tx) {
      for (long key = 0; key < 3; key++) {
        Branch tree = trees.get(tx, key);
        if (tree != null) {
          trees.remove(tx, key);
          type.free(tx, tree);
        }
      }
    }
  }

  private static StoreOptions options() {
    return StoreOptions.defaults()
        .withMaxSize(1 << 20)
        .withOrecs(1 << 8)
        .withPartitions(2)
        .withRingBytes(1 << 16);
  }

  private static String expected(int steps) {
    try (Store store = Store.inMemory(options())) {
      Trees trees = new Trees(store);
      for (int n = 0; n < steps; n++) {
        int step = n;
        store.run(tx -> trees.step(tx, step));
      }
      return store.read(trees::state);
    }
  }

  @CrashTest(points = 4, states = 1, recoveryPoints = 1, preemptOneIn = 50)
  void treesAreWholeAndNothingLeaks(Storage storage, Execution execution, CrashControl crash) {
    int[] acknowledged = {-1};
    crash.run(
        () -> {
          try (Store store = Store.open(options().withStorage(storage).withExecution(execution))) {
            Trees trees = new Trees(store);
            acknowledged[0] = 0;
            for (int n = 0; n < 10; n++) {
              int step = n;
              store.run(TxOptions.sync(), tx -> trees.step(tx, step));
              acknowledged[0] = n + 1;
            }
          }
        });
    crash.check(machine -> check(machine, acknowledged[0]));
  }

  private static void check(Machine machine, int acknowledged) {
    try (Store store =
        Store.open(options().withStorage(machine.storage()).withExecution(machine.execution()))) {
      if (acknowledged < 0) {
        return;
      }
      Trees trees = new Trees(store);
      String state = store.read(trees::state);
      assertThat(state).isIn(expected(acknowledged), expected(acknowledged + 1));
      store.run(trees::freeAll);
      Blocks.assertNothingLeaks(store);
    }
  }
}
