package io.howdah.replica.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Receipt;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.HowdahException;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.StoreId;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.replica.LeadershipLostException;
import io.howdah.replica.NotLeaderException;
import io.howdah.replica.ReplicaBehindException;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.testkit.schedule.SimulationOutcome;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

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

  /** So that each node makes several checkpoints. */
  private static final long CHECKPOINT_BYTES = 2 << 10;

  /** Two pages, so that checkpoints come while a snapshot is read. */
  private static final int SNAPSHOT_PIECE_BYTES = 8 << 10;

  /** The first of the blocks, of which each client has one, so that long transactions overlap. */
  private static final int BLOCK = 9;

  private static final int BLOCK_BYTES = 20_000;

  /** Registers are roots, which take addresses of the region only. */
  private static final long FIRST_VALUE = 8192;

  private final SimulatedExecution execution;
  private final SimulatedGroup group;
  private final Judge judge;

  private final StoreOptions options;
  private final StoreId id;
  private final List<SimulatedDisk> disks = new ArrayList<>();
  private final List<ProcessExecution> processes = new ArrayList<>();
  private final List<ReplicaNode> nodes = new ArrayList<>();

  /** For each process of a node, the least LSN that the last local read may have seen. */
  private final Map<ReplicaNode, Long> seenLsns = new HashMap<>();

  private final long seed;
  private final Random random;

  /** Whether half of the transactions are long, so that rounds have several entries. */
  private final boolean isWideRun;

  private final int powerCuts;
  private final int transactions;

  private int clientsLeft = CLIENTS;

  /** Whether nothing is committed any more. */
  private boolean isLogComplete;

  private boolean isGroupOver;

  /** Largest LSN that a client was told is durable, and where the log was then. */
  private long acknowledgedLsn;

  private long acknowledgedPosition;
  private long acknowledgedPositionLsn;

  int acknowledged;
  int unknown;
  int newestReads;
  int localReads;
  int positionReads;
  int lives;
  int cuts;
  int cutsOfAll;
  int transfers;
  int snapshots;
  int snapshotsCut;

  GroupRun(long seed, int transactions, SimulatedGroup.Habits habits, int powerCuts) {
    this.seed = seed;
    this.random = new Random(seed + 29);
    this.isWideRun = seed % 3 == 1;
    this.powerCuts = powerCuts;
    this.transactions = transactions;
    this.execution =
        SimulatedExecution.builder(Schedule.random(seed, 40))
            .virtualThreads()
            .maxSteps(60_000_000)
            .build();
    this.group = new SimulatedGroup(execution, seed, NODES, habits);
    this.judge = new Judge(group.log);
    this.options =
        StoreOptions.defaults()
            .withMaxSize(1 << 18)
            .withPartitions(2)
            .withRingBytes(RingLayout.MIN_CAPACITY)
            .withOrecs(1 << 10)
            .withMaxTransactionBytes(1 << 16)
            .withCompletionExecutor(Runnable::run);
    this.id = new StoreId(7, seed);
    for (int i = 0; i < NODES; i++) {
      disks.add(SimulatedDisk.builder(seed * NODES + i).execution(execution).build());
    }
  }

  private ReplicaNode node(int number) {
    ProcessExecution process = new ProcessExecution(execution);
    if (processes.size() > number) {
      processes.set(number, process);
    } else {
      processes.add(process);
    }
    return new ReplicaNode(
        Character.toString('a' + number),
        id,
        options.withExecution(process),
        disks.get(number).storage(),
        () -> {
          lives++;
          return group.engine(number);
        },
        new Snapshots(number),
        false,
        MAX_ENTRY_BYTES,
        CHECKPOINT_BYTES,
        SNAPSHOT_PIECE_BYTES);
  }

  /** Snapshots of the other nodes, which may die or change their roles meanwhile. */
  private final class Snapshots implements SnapshotSource {

    private final int self;

    Snapshots(int self) {
      this.self = self;
    }

    @Override
    public List<String> members(@Nullable String leader) {
      List<String> members = new ArrayList<>();
      for (int i = 1; i < NODES; i++) {
        members.add(Integer.toString((self + i) % NODES));
      }
      return members;
    }

    @Override
    public InputStream open(String member) throws IOException {
      ProcessExecution own = processes.get(self);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try {
        nodes.get(Integer.parseInt(member)).writeSnapshot(bytes);
      } catch (HowdahException | SimulatedCrash e) {
        // Of this node, or of the other one.
        long _ = own.nanoTime();
        snapshotsCut++;
        throw new IOException(e);
      }
      snapshots++;
      byte[] written = bytes.toByteArray();
      int length = random.nextInt(8) == 0 ? random.nextInt(written.length) : written.length;
      return new ByteArrayInputStream(written, 0, length);
    }
  }

  void run() {
    SimulationOutcome outcome = execution.run(this::body);
    assertThat(outcome.crashed()).as("all threads ended in peace").isFalse();
    assertThat(isGroupOver).as("the run came to its end").isTrue();
  }

  String describe() {
    return ("acknowledged %d, unknown %d, newest reads %d, local reads %d, at a position %d,"
            + " entries %d, void %d, epochs %d, lives %d, checkpoints %d, power cuts %d, of all"
            + " nodes %d, transfers %d, behind %d, snapshots %d and cut %d, betrayals %d")
        .formatted(
            acknowledged,
            unknown,
            newestReads,
            localReads,
            positionReads,
            group.log.size(),
            judge.voids,
            judge.epochs,
            lives,
            group.checkpoints,
            cuts,
            cutsOfAll,
            transfers,
            group.behind,
            snapshots,
            snapshotsCut,
            group.betrayals);
  }

  private void body() {
    for (int i = 0; i < NODES; i++) {
      ReplicaNode.create(disks.get(i).storage(), id, options.withExecution(execution));
      nodes.add(node(i));
    }
    nodes.forEach(ReplicaNode::start);
    execution.start("adversary", this::adversary);
    execution.start("power", this::power);
    for (int i = 0; i < CLIENTS; i++) {
      int client = i;
      execution.start("client-" + i, () -> client(client));
    }
    while (clientsLeft > 0 || cuts < powerCuts) {
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

  /** Cuts the power of one node, or of all; each comes back on what its disk has kept. */
  private void power() {
    Random random = new Random(seed + 17);
    while (cuts < powerCuts) {
      execution.parkNanos(this, 1 + random.nextInt(3_000_000));
      int first = random.nextInt(3) == 0 ? 0 : random.nextInt(NODES);
      int last = random.nextInt(3) == 0 ? NODES - 1 : first;
      for (int i = first; i <= last; i++) {
        group.kill(i);
        processes.get(i).kill();
        SimulatedDisk disk = disks.get(i);
        CrashStates states = disk.crashStates();
        disk.powerCut(states.choice(random.nextLong(states.count())));
        nodes.set(i, node(i));
      }
      for (int i = first; i <= last; i++) {
        nodes.get(i).start();
      }
      cuts++;
      cutsOfAll += last - first == NODES - 1 ? 1 : 0;
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
          if (random.nextInt(6) == 0) {
            node.checkpoint();
          }
          if (random.nextInt(20) == 0) {
            boolean _ = node.transfer(Character.toString('a' + random.nextInt(NODES)), 100_000);
            transfers++;
          }
          switch (random.nextInt(8)) {
            case 0 -> readNewest(node);
            case 1 -> readLocally(node);
            case 2 -> readAtPosition(node);
            default -> write(node, random, number, FIRST_VALUE + number * 10_000L + i);
          }
          isDone = true;
        } catch (NotLeaderException | ReplicaBehindException e) {
          execution.parkNanos(this, 50_000);
        } catch (StoreFailedException
            | StoreClosedException
            | LeadershipLostException
            | SimulatedCrash e) {
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

  private void write(ReplicaNode node, Random random, int client, long value) {
    Store store = node.leader();
    int from = random.nextInt(REGISTERS);
    int to = random.nextInt(REGISTERS);
    boolean isWide = random.nextInt(isWideRun ? 2 : 6) == 0;
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
                fill(tx, BLOCK + client, value);
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
    long position = node.position();
    if (position > acknowledgedPosition) {
      acknowledgedPosition = position;
      acknowledgedPositionLsn = lsn;
    }
  }

  private void readLocally(ReplicaNode node) {
    long least = seenLsns.getOrDefault(node, 0L);
    seenLsns.merge(node, requireState(least, node.read(GroupRun::readAll)), Math::max);
    localReads++;
  }

  private void readAtPosition(ReplicaNode node) {
    long least = acknowledgedPositionLsn;
    long life = node.progress().life();
    if (node.awaitPosition(acknowledgedPosition, 1_000_000)) {
      long[] values = node.read(GroupRun::readAll);
      if (node.progress().life() == life) { // otherwise it may have begun anew between the two
        requireState(least, values);
        positionReads++;
      }
    }
  }

  private static long[] readAll(Tx tx) {
    long[] read = new long[REGISTERS];
    for (int i = 0; i < REGISTERS; i++) {
      read[i] = tx.root(i + 1);
    }
    for (int i = 0; i < CLIENTS; i++) {
      long block = tx.root(BLOCK + i);
      if (block != 0) {
        assertThat(tx.getLong(block)).isEqualTo(tx.getLong(block + BLOCK_BYTES - 8));
      }
    }
    return read;
  }

  /** Requires that values are those of a state; returns the first that is not before an LSN. */
  private long requireState(long least, long[] values) {
    judge.advance();
    long lsn = stateSince(values, least);
    assertThat(lsn).as("a state at or behind LSN %d", least).isNotNegative();
    return lsn;
  }

  /** Writes a block; its words are equal. */
  private static void fill(Tx tx, int root, long value) {
    long block = tx.root(root);
    if (block == 0) {
      block = tx.allocate(BLOCK_BYTES);
      tx.root(root, block);
    }
    assertThat(tx.getLong(block)).isEqualTo(tx.getLong(block + BLOCK_BYTES - 8));
    for (int at = 0; at < BLOCK_BYTES; at += Long.BYTES) {
      tx.putLong(block + at, value);
    }
  }

  private void readNewest(ReplicaNode node) {
    long least = acknowledgedLsn;
    requireState(least, node.readNewest(GroupRun::readAll));
    newestReads++;
  }

  private long stateSince(long[] values, long least) {
    for (long lsn = least; lsn <= judge.lastLsn(); lsn++) {
      boolean isEqual = true;
      for (int i = 0; i < REGISTERS; i++) {
        isEqual &= judge.valueAt(address(i), lsn) == values[i];
      }
      if (isEqual) {
        return lsn;
      }
    }
    return -1;
  }
}
