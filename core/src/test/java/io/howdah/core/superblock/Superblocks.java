package io.howdah.core.superblock;

import io.howdah.core.StoreId;
import java.util.ArrayList;
import java.util.List;

/** Superblocks for tests. */
final class Superblocks {

  static final StoreId ID = new StoreId(0x1122334455667788L, 0x99AABBCCDDEEFF00L);

  private Superblocks() {}

  static Geometry geometry(int partitions) {
    return new Geometry(partitions, 1 << 20, 1L << 34, 1 << 22, 32, 4096);
  }

  /** A store just created. */
  static Superblock fresh() {
    return new Superblock(
        ID,
        1_800_000_000_000L,
        geometry(3),
        1,
        1,
        0,
        false,
        new RingPlacement.None(),
        new LogState(1, 1, 1),
        CheckpointState.NONE,
        List.of());
  }

  /** A new store that was closed. */
  static Superblock closed() {
    return fresh().change().withClean(true).build();
  }

  /** A store with every field set, three partitions and two generations behind it. */
  static Superblock busy() {
    return new Superblock(
        ID,
        1_800_000_000_000L,
        geometry(3),
        77,
        6,
        2_000,
        false,
        new RingPlacement.VolatilePlace("howdah-1122-0099", 0x0123456789ABCDEFL),
        new LogState(21, 22, 331),
        new CheckpointState(
            9, 512, 530, 500, CheckpointState.Phase.JOURNALED, 1, 1 << 20, 0xCAFEBABE),
        List.of(
            new ClosedGeneration(4, 600, 700, 32L, List.of(0L, 702L, 701L)),
            new ClosedGeneration(5, 1_000, 1_500, 41L, List.of(1_600L, 0L, 0L))));
  }

  /** A node of a replica group. */
  static Superblock replica() {
    return fresh()
        .change()
        .withRings(new RingPlacement.Replica(3, 1_000, 5, 0x0123456789ABCDEFL, 70, 0xCAFEBABE, 512))
        .withCheckpoint(
            new CheckpointState(9, 520, 530, 500, CheckpointState.Phase.FOLDED, 1, 1 << 20, 7))
        .build();
  }

  /** The largest superblock there can be. */
  static Superblock largest() {
    List<Long> ends = new ArrayList<>();
    for (int p = 0; p < 256; p++) {
      ends.add(0L);
    }
    List<ClosedGeneration> closed = new ArrayList<>();
    for (int g = 1; g <= 16; g++) {
      ends.set(g, g * 100L);
      closed.add(new ClosedGeneration(g, g * 100L - 50, g * 100L - 25, g, ends));
      ends.set(g, 0L);
    }
    return new Superblock(
        ID,
        0,
        geometry(256),
        1,
        17,
        Bounds.MAX_LSN,
        false,
        new RingPlacement.VolatilePlace("x".repeat(200), -1),
        new LogState(64, 65, 67),
        new CheckpointState(
            1,
            Bounds.MAX_LSN,
            Bounds.MAX_LSN,
            Bounds.MAX_LSN,
            CheckpointState.Phase.FOLDED,
            0,
            Long.MAX_VALUE - 1,
            -1),
        closed);
  }
}
