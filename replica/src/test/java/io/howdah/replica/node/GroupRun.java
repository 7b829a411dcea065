package io.howdah.replica.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Receipt;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.StoreId;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.replica.LeadershipLostException;
import io.howdah.replica.NotLeaderException;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Three nodes, an adversary between them, and clients that run transactions on whatever node leads.
 * What the clients were told is held to what the log means, at once and at the end.
 */
final class GroupRun {

  private static final int NODES = 3;
  private static final int CLIENTS = 3;
  private static final int REGISTERS = 5;

  /** A little more than the longest record, so that a transaction in parts takes several. */
  private static final int MAX_ENTRY_BYTES = 18 << 10;

  private static final int BLOCK = 9;
  private static final int BLOCK_BYTES = 20_000;

  /** Registers are roots, which take addresses of the region only. */
  private static final long FIRST_VALUE = 8192;

  private final SimulatedExecution execution;
  private final Storage memory;
  private final SimulatedGroup group;
  private final Judge judge;
  private final List<ReplicaNode> nodes = new ArrayList<>();
  private final long seed;
  private final int transactions;

  private int clientsLeft = CLIENTS;

  /** Whether nothing is committed any more. */
  private boolean isLogComplete;

  private boolean isGroupOver;

  /** Largest LSN that a client was told is durable. */
  private long acknowledgedLsn;

  int acknowledged;
  int unknown;
  int newestReads;
  int lives;

  GroupRun(long seed, int transactions, SimulatedGroup.Habits habits) {
    this.seed = seed;
    this.transactions = transactions;
    this.execution =
        SimulatedExecution.builder(Schedule.random(seed, 40)).maxSteps(60_000_000).build();
    this.memory = SimulatedDisk.builder(seed).execution(execution).build().storage();
    this.group = new SimulatedGroup(execution, seed, NODES, habits);
    this.judge = new Judge(group.log);
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize(1 << 18)
            .withPartitions(2)
            .withRingBytes(RingLayout.MIN_CAPACITY)
            .withOrecs(1 << 10)
            .withMaxTransactionBytes(1 << 16)
            .withCompletionExecutor(Runnable::run)
            .withExecution(execution);
    StoreId id = new StoreId(7, seed);
    for (int i = 0; i < NODES; i++) {
      int number = i;
      nodes.add(
          new ReplicaNode(
              Character.toString('a' + i),
              id,
              options,
              memory,
              () -> {
                lives++;
                return group.engine(number);
              },
              MAX_ENTRY_BYTES));
    }
  }

  void run() {
    execution.run(this::body);
  }

  String describe() {
    return "acknowledged %d, unknown %d, newest reads %d, entries %d, void %d, epochs %d, lives %d"
        .formatted(
            acknowledged, unknown, newestReads, group.log.size(), judge.voids, judge.epochs, lives);
  }

  private void body() {
    nodes.forEach(ReplicaNode::start);
    execution.start("adversary", this::adversary);
    for (int i = 0; i < CLIENTS; i++) {
      int client = i;
      execution.start("client-" + i, () -> client(client));
    }
    while (clientsLeft > 0) {
      failIfAnyFailed();
      execution.parkNanos(this, 100_000);
    }
    group.end();
    while (!areAllAtTheEnd()) {
      failIfAnyFailed();
      execution.parkNanos(this, 100_000);
    }
    for (ReplicaNode node : nodes) {
      Region region = node.region();
      assertThat(region).isNotNull();
      judge
          .words()
          .forEach(
              (address, value) ->
                  assertThat(region.getLong(address)).as("word %d", address).isEqualTo(value));
    }
    nodes.forEach(ReplicaNode::close);
    isGroupOver = true;
  }

  private void adversary() {
    group.run();
    isLogComplete = true;
    while (!isGroupOver) {
      group.handOverAll();
      execution.parkNanos(this, 100_000);
    }
  }

  private boolean areAllAtTheEnd() {
    judge.advance();
    if (!isLogComplete) {
      return false;
    }
    for (ReplicaNode node : nodes) {
      var end = node.progress().end();
      if (!judge.isAt(end.epoch(), end.nonce(), end.sequence()) || node.isLeading()) {
        return false;
      }
    }
    return true;
  }

  private void failIfAnyFailed() {
    for (ReplicaNode node : nodes) {
      Throwable failure = node.failure();
      if (failure != null) {
        throw new AssertionError("a node has failed: " + failure, failure);
      }
    }
  }

  // ---- Clients.

  private void client(int number) {
    Random random = new Random(seed * 31 + number);
    for (int i = 1; i <= transactions; i++) {
      boolean isDone = false;
      while (!isDone) {
        ReplicaNode node = nodes.get(random.nextInt(NODES));
        try {
          if (random.nextInt(4) == 0) {
            readNewest(node);
          } else {
            write(node.leader(), random, FIRST_VALUE + number * 10_000L + i);
          }
          isDone = true;
        } catch (NotLeaderException e) {
          execution.parkNanos(this, 50_000);
        } catch (StoreFailedException | StoreClosedException | LeadershipLostException e) {
          unknown++;
          isDone = true;
        }
      }
    }
    clientsLeft--;
  }

  private static long address(int register) {
    return RegionHeaderLayout.ROOTS_ADDRESS + 8L * (register + 1);
  }

  /** What a body has seen. */
  private record Seen(int first, long firstValue, int second, long secondValue) {}

  private void write(Store store, Random random, long value) {
    int from = random.nextInt(REGISTERS);
    int to = random.nextInt(REGISTERS);
    boolean isWide = random.nextInt(6) == 0;
    int mode = random.nextInt(3);
    TxOptions how =
        switch (mode) {
          case 0 -> TxOptions.async();
          case 1 -> TxOptions.partition();
          default -> TxOptions.sync();
        };
    Receipt<Seen> receipt =
        store.callWithReceipt(
            how,
            tx -> {
              Seen seen = new Seen(from, tx.root(from + 1), to, tx.root(to + 1));
              tx.root(to + 1, value);
              if (isWide) {
                fill(tx, value);
              }
              return seen;
            });
    if (mode == 0) {
      return; // nothing was promised
    }
    acknowledged++;
    judge.advance();
    long lsn = receipt.lsn();
    assertThat(lsn).as("acknowledged and committed").isLessThanOrEqualTo(judge.lastLsn());
    assertThat(judge.commits.get((int) lsn - 1).writes()).containsEntry(address(to), value);
    Seen seen = receipt.value();
    assertThat(seen.firstValue()).isEqualTo(judge.valueAt(address(from), lsn - 1));
    assertThat(seen.secondValue()).isEqualTo(judge.valueAt(address(to), lsn - 1));
    acknowledgedLsn = Math.max(acknowledgedLsn, lsn);
  }

  /** Writes a block, which all transactions share; its words are equal. */
  private static void fill(Tx tx, long value) {
    long block = tx.root(BLOCK);
    if (block == 0) {
      block = tx.allocate(BLOCK_BYTES);
      tx.root(BLOCK, block);
    }
    assertThat(tx.getLong(block)).isEqualTo(tx.getLong(block + BLOCK_BYTES - 8));
    for (int at = 0; at < BLOCK_BYTES; at += Long.BYTES) {
      tx.putLong(block + at, value);
    }
  }

  private void readNewest(ReplicaNode node) {
    long least = acknowledgedLsn;
    long[] values =
        node.readNewest(
            tx -> {
              long[] read = new long[REGISTERS];
              for (int i = 0; i < REGISTERS; i++) {
                read[i] = tx.root(i + 1);
              }
              return read;
            });
    newestReads++;
    judge.advance();
    assertThat(isStateSince(values, least)).as("a state at or behind LSN %d", least).isTrue();
  }

  private boolean isStateSince(long[] values, long least) {
    for (long lsn = least; lsn <= judge.lastLsn(); lsn++) {
      boolean isEqual = true;
      for (int i = 0; i < REGISTERS; i++) {
        isEqual &= judge.valueAt(address(i), lsn) == values[i];
      }
      if (isEqual) {
        return true;
      }
    }
    return false;
  }
}
