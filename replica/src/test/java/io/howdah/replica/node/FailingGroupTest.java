package io.howdah.replica.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.HowdahException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.RingLayout;
import io.howdah.replica.LeadershipLostException;
import io.howdah.replica.NotLeaderException;
import io.howdah.replica.log.Entry;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Tx;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Full disks, and networks of which one direction works, one at a time. */
@Timeout(120)
final class FailingGroupTest {

  private static final StoreId ID = new StoreId(1, 2);
  private static final long NANOS = 60_000_000_000L;
  private static final int MEMBERS = 3;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(2)
          .withRingBytes(RingLayout.MIN_CAPACITY)
          .withOrecs(1 << 10);

  private final SmallGroup group = new SmallGroup(MEMBERS);
  private final List<SimulatedDisk> disks = new ArrayList<>();
  private final List<ReplicaNode> nodes = new ArrayList<>();

  @BeforeEach
  void start() {
    for (int i = 0; i < MEMBERS; i++) {
      disks.add(SimulatedDisk.seeded(i + 1L));
      ReplicaNode.create(disks.get(i).storage(), ID, OPTIONS);
      nodes.add(started(i));
    }
    elect(0);
    assertThat(add(0)).isEqualTo(1);
  }

  private ReplicaNode started(int number) {
    return started(number, 1); // a checkpoint is due with each batch
  }

  private ReplicaNode started(int number, long checkpointBytes) {
    ReplicaNode node =
        new ReplicaNode(
            Character.toString('a' + number),
            ID,
            OPTIONS,
            disks.get(number).storage(),
            () -> group.engine(number),
            noSnapshots(),
            false,
            64 << 10,
            checkpointBytes,
            4096);
    node.start();
    return node;
  }

  @AfterEach
  void close() {
    nodes.forEach(ReplicaNode::close);
    group.close();
  }

  private static SnapshotSource noSnapshots() {
    return new SnapshotSource() {
      @Override
      public List<String> members(@Nullable String leader) {
        return List.of();
      }

      @Override
      public InputStream open(String member) throws IOException {
        throw new IOException("there are none");
      }
    };
  }

  private void elect(int member) {
    group.elect(member);
    assertThat(nodes.get(member).awaitLeader(NANOS)).isTrue();
  }

  private static void await(BooleanSupplier condition) {
    long started = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - started).as("nanoseconds").isLessThan(NANOS);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static long get(Tx tx) {
    long address = tx.root(1);
    return address == 0 ? 0 : tx.getLong(address);
  }

  private static long addOne(Tx tx) {
    long address = tx.root(1);
    if (address == 0) {
      address = tx.allocate(Long.BYTES);
      tx.root(1, address);
    }
    tx.putLong(address, tx.getLong(address) + 1);
    return tx.getLong(address);
  }

  private long add(int member) {
    return nodes.get(member).leader().call(FailingGroupTest::addOne);
  }

  private CompletableFuture<Long> readNewestLater(int member) {
    return CompletableFuture.supplyAsync(
        () -> nodes.get(member).readNewest(FailingGroupTest::get),
        task -> Thread.ofPlatform().daemon().start(task));
  }

  private CompletableFuture<Long> addLater(int member) {
    Store store = nodes.get(member).leader();
    return CompletableFuture.supplyAsync(
        () -> store.call(FailingGroupTest::addOne),
        task -> Thread.ofPlatform().daemon().start(task));
  }

  private long read(int member) {
    return nodes.get(member).read(FailingGroupTest::get);
  }

  private void awaitAll(long value) {
    for (int i = 0; i < MEMBERS; i++) {
      int member = i;
      await(() -> nodes.get(member).isReadable() && read(member) == value);
      assertThat(nodes.get(member).failure()).isNull();
    }
  }

  private static void requireUnknown(CompletableFuture<Long> commit) {
    assertThatThrownBy(commit::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(StoreFailedException.class)
        .hasCauseInstanceOf(LeadershipLostException.class);
  }

  @Test
  void aLeaderThatHearsNothingAcknowledgesNothingUntilItHearsThatItHappened() {
    group.deafen(0);
    CompletableFuture<Long> unknown = addLater(0);
    await(() -> nodes.get(1).isReadable() && read(1) == 2); // it is committed
    assertThat(unknown).isNotDone();
    elect(1);
    assertThat(add(1)).isEqualTo(3);
    // The former leader believes that it leads.
    assertThat(nodes.get(0).isLeading()).isTrue();
    assertThat(unknown).isNotDone();
    group.heal(0);
    // It hears of its own entry first, and then of the other leader, so either may win.
    if (unknown.handle((_, failure) -> failure == null).join()) {
      assertThat(unknown).isCompletedWithValue(2L);
    } else {
      requireUnknown(unknown);
    }
    awaitAll(3);
    assertThatThrownBy(() -> add(0)).isInstanceOf(NotLeaderException.class);
  }

  @Test
  void aLeaderThatIsNotHeardAcknowledgesNothingAndWhatItProposedIsLost() {
    group.mute(0);
    CompletableFuture<Long> unknown = addLater(0);
    await(() -> group.lost() > 0);
    elect(1);
    requireUnknown(unknown); // it hears of the new leader
    assertThat(add(1)).isEqualTo(2);
    group.heal(0);
    awaitAll(2);
  }

  @Test
  void whatTheEngineHasNotTakenIsProposedAgain() {
    group.refuseOne();
    assertThat(add(0)).as("a batch").isEqualTo(2);
    group.refuseOne();
    assertThat(readNewestLater(0))
        .as("a barrier")
        .succeedsWithin(Duration.ofNanos(NANOS))
        .isEqualTo(2L);
    group.refuseOne();
    elect(1); // with an epoch
    assertThat(add(1)).isEqualTo(3);
    awaitAll(3);
  }

  @Test
  void aNewestReadOfALeaderThatHearsNothingIsNoOldState() {
    group.deafen(0);
    elect(1);
    assertThat(add(1)).isEqualTo(2);
    CompletableFuture<Long> newest = readNewestLater(0);
    group.heal(0);
    assertThatThrownBy(newest::join).hasCauseInstanceOf(HowdahException.class);
    awaitAll(2);
  }

  @Test
  void aFollowerThatHearsNothingIsReadAsItWasAndCatchesUp() {
    await(() -> nodes.get(2).isReadable() && read(2) == 1);
    group.deafen(2);
    for (int i = 2; i <= 10; i++) {
      assertThat(add(0)).isEqualTo(i);
    }
    assertThat(read(2)).isEqualTo(1);
    group.heal(2);
    awaitAll(10);
  }

  @Test
  void aFollowerWithAFullDiskFollowsAndMakesItsCheckpointLater() {
    awaitAll(1);
    disks.get(2).setFreeBytes(0);
    long before = group.trimmed(2);
    for (int i = 2; i <= 20; i++) {
      assertThat(add(0)).isEqualTo(i);
    }
    awaitAll(20);
    disks.get(2).setFreeBytes(64 << 20);
    long[] value = {20};
    await(
        () -> {
          value[0] = add(0); // a checkpoint is made with an entry, a second after the failed one
          return group.trimmed(2) > before + 19;
        });
    awaitAll(value[0]);
  }

  @Test
  void aCheckpointThatWasAskedForIsMadeOnceTheDiskHasRoom() {
    nodes.get(2).close();
    nodes.set(2, started(2, Long.MAX_VALUE));
    awaitAll(1);
    long before = group.trimmed(2);
    disks.get(2).setFreeBytes(0);
    nodes.get(2).checkpoint();
    for (int i = 2; i <= 4; i++) {
      assertThat(add(0)).isEqualTo(i);
    }
    awaitAll(4); // so it was tried in vain with the entry before the last
    disks.get(2).setFreeBytes(64 << 20);
    long[] value = {4};
    await(
        () -> {
          value[0] = add(0);
          return group.trimmed(2) > before;
        });
    awaitAll(value[0]);
  }

  @Test
  void aLeaderWithAFullDiskCommitsAndMakesItsCheckpointLater() {
    disks.get(0).setFreeBytes(0);
    for (int i = 2; i <= 20; i++) {
      assertThat(add(0)).isEqualTo(i);
    }
    awaitAll(20);
    disks.get(0).setFreeBytes(64 << 20);
    long full = group.committed();
    long[] value = {20};
    await(
        () -> {
          value[0] = add(0);
          return group.trimmed(0) >= full;
        });
    awaitAll(value[0]);
    assertThat(nodes.get(0).isLeading()).isTrue();
  }

  @Test
  void aLeaderWithoutAMajorityEndsAndIsRead() {
    Store store = nodes.get(0).leader();
    awaitAll(1);
    group.elect(-1);
    await(() -> !nodes.get(0).isLeading());
    assertThatThrownBy(() -> store.call(FailingGroupTest::addOne))
        .isInstanceOfAny(StoreFailedException.class, StoreClosedException.class);
    for (int i = 0; i < MEMBERS; i++) {
      int member = i;
      assertThatThrownBy(() -> add(member)).isInstanceOf(NotLeaderException.class);
    }
    awaitAll(1);
    elect(2);
    assertThat(add(2)).isEqualTo(2);
    awaitAll(2);
  }

  private Throwable failureOf(int member) {
    await(() -> nodes.get(member).failure() != null);
    return Objects.requireNonNull(nodes.get(member).failure());
  }

  @Test
  void anEntryOfAnotherGroupEndsTheMemberAndBothAreNamed() {
    StoreId other = new StoreId(7, 8);
    group.commit(Entry.barrier(other, 1, 2, 3));
    for (int i = 0; i < MEMBERS; i++) {
      assertThat(failureOf(i))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("of the group's log")
          .hasMessageContaining(other.toString())
          .hasMessageContaining(ID.toString());
    }
  }

  @Test
  void anEntryOfANewerReleaseEndsTheMember() {
    ByteBuffer entry = Entry.barrier(ID, 1, 2, 3);
    entry.putInt(8, 2); // the version
    group.commit(entry);
    assertThat(failureOf(1))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("has version 2; upgrade this node");
    assertThatThrownBy(() -> nodes.get(0).leader()).isInstanceOf(HowdahException.class);
  }

  @Test
  void damageOfTheImageEndsTheMemberWithTheNameOfTheFile() {
    await(() -> group.trimmed(2) > 0);
    nodes.get(2).close();
    disks.get(2).flipBit("image", 4096, 3);
    nodes.set(2, started(2));
    assertThat(failureOf(2))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("image");
    assertThat(add(0)).isEqualTo(2);
  }

  @Test
  void anEngineThatCannotWriteItsLogEndsTheLifeAndAnotherMemberLeads() {
    group.mute(0);
    CompletableFuture<Long> unknown = addLater(0);
    await(() -> group.lost() > 0);
    group.stop(0);
    requireUnknown(unknown);
    elect(1);
    assertThat(add(1)).isEqualTo(2);
    group.heal(0);
    awaitAll(2);
    // The hint comes beside the entries.
    await(() -> "b".equals(nodes.get(0).knownLeader()));
  }
}
