package io.howdah.core.superblock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class SuperblockTest {

  static Stream<ThrowingCallable> nonsense() {
    Superblock busy = Superblocks.busy();
    ClosedGeneration four = busy.closedGenerations().get(0);
    ClosedGeneration five = busy.closedGenerations().get(1);
    return Stream.of(
        () -> new StoreId(0, 0),
        () -> new Geometry(0, 1 << 20, 4096, 1, 8, 4096),
        () -> new Geometry(257, 1 << 20, 4096, 1, 8, 4096),
        () -> new Geometry(1, (1 << 20) + 8, 4096, 1, 8, 4096),
        () -> new Geometry(1, 1 << 15, 4096, 1, 8, 4096),
        () -> new Geometry(1, 1 << 25, 4096, 1, 8, 4096),
        () -> new Geometry(1, 1 << 20, 4097, 1, 8, 4096),
        () -> new Geometry(1, 1 << 20, 0, 1, 8, 4096),
        () -> new Geometry(1, 1 << 20, Long.MIN_VALUE, 1, 8, 4096),
        () -> new Geometry(1, 1 << 20, Long.MAX_VALUE & -4096, 1, 8, 4096),
        () -> new Geometry(1, 1 << 20, 4096, 3, 8, 4096),
        () -> new Geometry(1, 1 << 20, 4096, 1, 4, 4096),
        () -> new Geometry(1, 1 << 20, 4096, 1, 8, 100),
        () -> new ClosedGeneration(0, 0, 0, 0, List.of()),
        () -> new ClosedGeneration(1, 10, 9, 0, List.of()),
        () -> new ClosedGeneration(1, -1, 9, 0, List.of()),
        () -> new ClosedGeneration(1, 10, 20, 0, List.of(20L)),
        () -> new ClosedGeneration(1, 10, 20, -1L, List.of()),
        () -> new ClosedGeneration(1, 10, 1L << 54, 0, List.of()),
        () -> new LogState(0, 1, 1),
        () -> new LogState(1, 0, 1),
        () -> new LogState(1, 1, 0),
        () -> new CheckpointState(0, 0, 0, 0, CheckpointState.Phase.FOLDED, 0, 0, 0),
        () -> new CheckpointState(0, 1, 1, 0, CheckpointState.Phase.NONE, 0, 0, 0),
        () -> new CheckpointState(1, 0, 0, 0, CheckpointState.Phase.FOLDED, 2, 0, 0),
        () -> new CheckpointState(1, 0, 0, 0, CheckpointState.Phase.FOLDED, 0, -1, 0),
        () -> new CheckpointState(1, 9, 8, 0, CheckpointState.Phase.FOLDED, 0, 0, 0),
        () -> new CheckpointState(1, 9, 9, 10, CheckpointState.Phase.FOLDED, 0, 0, 0),
        () -> new CheckpointState(1, 0, 1L << 54, 0, CheckpointState.Phase.FOLDED, 0, 0, 0),
        () -> new RingPlacement.VolatilePlace("../etc", 1),
        () -> new RingPlacement.VolatilePlace("a/b", 1),
        () -> new RingPlacement.VolatilePlace("", 1),
        () -> new RingPlacement.Replica(-1, 0, 0, 0, 0, 0, 0),
        () -> new RingPlacement.Replica(0, -1, 0, 0, 0, 0, 0),
        () -> new RingPlacement.Replica(0, 0, -1, 0, 0, 0, 0),
        () -> new RingPlacement.Replica(0, 0, 0, 0, -1, 0, 0),
        () -> new RingPlacement.Replica(0, 0, 0, 0, 0, 0, -1),
        () -> new RingPlacement.Replica(0, 0, 0, 0, 0, 0, 1L << 54),
        () -> Superblocks.replica().change().withClean(true).build(),
        () -> busy.change().withGeneration(0).build(),
        () -> busy.change().withGeneration(5).build(),
        () -> busy.change().withBaseLsn(1_599).build(),
        () -> busy.change().withSequence(0).build(),
        () -> busy.change().withGeometry(Superblocks.geometry(4)).build(),
        () -> busy.change().withClosedGenerations(List.of(five, four)).build(),
        () -> busy.change().withClosedGenerations(List.of(five, five)).build(),
        () ->
            busy.change()
                .withGeneration(100)
                .withClosedGenerations(
                    Collections.nCopies(17, new ClosedGeneration(1, 0, 0, 0, List.of(0L, 0L, 0L))))
                .build());
  }

  @ParameterizedTest
  @MethodSource("nonsense")
  void nonsenseIsRefused(ThrowingCallable construction) {
    assertThatThrownBy(construction).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void changesKeepWhatTheyDoNotName() {
    Superblock busy = Superblocks.busy();
    assertThat(busy.change().build()).isEqualTo(busy);
    Superblock next =
        busy.change()
            .withGeneration(7)
            .withRings(new RingPlacement.StoreDirectory(5))
            .withCheckpoint(busy.checkpoint().folded())
            .build();
    assertThat(next.generation()).isEqualTo(7);
    assertThat(next.rings()).isEqualTo(new RingPlacement.StoreDirectory(5));
    assertThat(next.checkpoint().phase()).isEqualTo(CheckpointState.Phase.FOLDED);
    assertThat(
            next.change()
                .withGeneration(6)
                .withRings(busy.rings())
                .withCheckpoint(busy.checkpoint())
                .build())
        .isEqualTo(busy);
  }

  @Test
  void listsAreCopied() {
    List<ClosedGeneration> closed = new ArrayList<>(Superblocks.busy().closedGenerations());
    Superblock superblock = Superblocks.busy().change().withClosedGenerations(closed).build();
    closed.clear();
    assertThat(superblock).isEqualTo(Superblocks.busy());
  }

  @Test
  void lastSurvivorIsBeyondTheCutIfAnyIs() {
    assertThat(new ClosedGeneration(1, 0, 5, 0, List.of(0L, 9L, 7L)).lastSurvivor()).isEqualTo(9);
    assertThat(new ClosedGeneration(1, 0, 5, 0, List.of(0L)).lastSurvivor()).isEqualTo(5);
  }

  @Test
  void storeIdsAreDrawnAndPrinted() {
    assertThat(StoreId.random(new Random(1))).isNotEqualTo(StoreId.random(new Random(2)));
    assertThat(Superblocks.ID).hasToString("112233445566778899aabbccddeeff00");
  }
}
