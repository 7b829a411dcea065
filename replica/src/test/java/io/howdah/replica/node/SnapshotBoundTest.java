package io.howdah.replica.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.StoreOptions;
import io.howdah.core.StoreId;
import io.howdah.core.layout.RingLayout;
import io.howdah.replica.snapshot.SnapshotReader;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.Tx;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which snapshots help a member that lacks entries which the group has removed. */
@Timeout(60)
final class SnapshotBoundTest {

  private static final StoreId ID = new StoreId(1, 2);
  private static final long NANOS = 30_000_000_000L;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(2)
          .withRingBytes(RingLayout.MIN_CAPACITY)
          .withOrecs(1 << 10);

  /** A clock that the test moves. */
  private static final class Moved extends SystemThreads {
    private final AtomicLong moved = new AtomicLong();

    @Override
    public Thread start(String name, Runnable body) {
      return system.start(name, body);
    }

    @Override
    public long nanoTime() {
      return system.nanoTime() + moved.get();
    }
  }

  private final Moved clock = new Moved();
  private final SmallGroup group = new SmallGroup(2);
  private final ReplicaNode leader = node(0, new byte[0]);
  private byte[] snapshot = {};

  /** The last entry that the snapshot has. */
  private long last;

  @BeforeEach
  void start() throws IOException {
    leader.start();
    group.elect(0);
    assertThat(leader.awaitLeader(NANOS)).isTrue();
    for (int i = 0; i < 3; i++) {
      add();
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    leader.writeSnapshot(bytes);
    snapshot = bytes.toByteArray();
    SimulatedDisk scratch = SimulatedDisk.seeded(9);
    ReplicaNode.create(scratch.storage(), ID, OPTIONS);
    SnapshotReader.Expected any;
    try (ReplicaFiles files = ReplicaFiles.open(scratch.storage(), ID, OPTIONS)) {
      any = new SnapshotReader.Expected(ID, files.geometry(), 0);
    }
    last =
        SnapshotReader.install(
                "a", new ByteArrayInputStream(snapshot), scratch.storage(), any, () -> false)
            .index();
    assertThat(last).isPositive();
    add();
  }

  @AfterEach
  void close() {
    leader.close();
    group.close();
  }

  private ReplicaNode node(int number, byte[] snapshotOfOthers) {
    SimulatedDisk disk = SimulatedDisk.seeded(number + 1L);
    ReplicaNode.create(disk.storage(), ID, OPTIONS);
    return new ReplicaNode(
        Character.toString('a' + number),
        ID,
        OPTIONS.withExecution(clock),
        disk.storage(),
        () -> group.engine(number),
        new SnapshotSource() {
          @Override
          public List<String> members(@Nullable String known) {
            return List.of("a");
          }

          @Override
          public InputStream open(String member) {
            return new ByteArrayInputStream(snapshotOfOthers);
          }
        },
        false,
        64 << 10,
        1, // a checkpoint is due with each batch
        4096);
  }

  private void add() {
    leader
        .leader()
        .run(
            tx -> {
              if (tx.root(1) == 0) {
                tx.root(1, tx.allocate(Long.BYTES));
              }
              tx.putLong(tx.root(1), get(tx) + 1);
            });
  }

  private static long get(Tx tx) {
    return tx.getLong(tx.root(1));
  }

  private static void await(BooleanSupplier condition) {
    long started = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - started).as("nanoseconds").isLessThan(NANOS);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void oneThatEndsWhereTheLogBeginsIsEnough() {
    group.remove(last);
    try (ReplicaNode member = node(1, snapshot)) {
      member.start();
      await(() -> member.snapshotsInstalled() > 0 || member.installProblem() != null);
      assertThat(member.installProblem()).isNull();
      assertThat(member.awaitPosition(leader.position(), NANOS)).isTrue();
      assertThat(member.<Long, RuntimeException>read(SnapshotBoundTest::get)).isEqualTo(4);
    }
  }

  /** A node that installs a snapshot has a minute from the last byte on, however long it took. */
  @Test
  void theLogBehindOneStaysForAMinuteAfterItsLastByte() throws IOException {
    clock.moved.addAndGet(TimeUnit.MINUTES.toNanos(2)); // that of the first one is over
    int[] writes = {0};
    long[] trimmed = {0};
    leader.writeSnapshot(
        new OutputStream() {
          @Override
          public void write(int one) {
            throw new AssertionError("frames are written");
          }

          @Override
          public void write(byte[] bytes, int from, int length) {
            if (writes[0]++ == 0) {
              trimmed[0] = group.trimmed(0);
            }
            checkpointAfter(40);
            assertThat(group.trimmed(0)).as("write %d", writes[0]).isEqualTo(trimmed[0]);
          }
        });
    assertThat(writes[0]).isGreaterThan(2);
    checkpointAfter(59);
    assertThat(group.trimmed(0)).isEqualTo(trimmed[0]);
    checkpointAfter(2);
    assertThat(group.trimmed(0)).isGreaterThan(trimmed[0]);
  }

  private void checkpointAfter(long seconds) {
    clock.moved.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    add();
    leader.checkpoint();
  }

  @Test
  void oneThatLacksTheFirstRemovedEntryIsRefused() {
    group.remove(last + 1);
    try (ReplicaNode member = node(1, snapshot)) {
      member.start();
      await(() -> member.installProblem() != null);
      assertThat(member.installProblem())
          .contains("a snapshot of entry " + last)
          .contains("begins behind entry " + (last + 1));
      assertThat(member.snapshotsInstalled()).isZero();
    }
  }
}
