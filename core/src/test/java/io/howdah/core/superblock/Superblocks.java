package io.howdah.core.superblock;

import io.howdah.core.StoreId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Superblocks for tests. */
final class Superblocks {

  static final StoreId ID = new StoreId(0x1122334455667788L, 0x99AABBCCDDEEFF00L);

  private Superblocks() {}

  static Geometry geometry(int partitions, int logSets) {
    return new Geometry(partitions, logSets, 1 << 20, 1L << 34, 1 << 22, 32, 4096);
  }

  /** A store just created. */
  static Superblock fresh() {
    return new Superblock(
        ID,
        1_800_000_000_000L,
        geometry(3, 1),
        1,
        1,
        0,
        false,
        new RingPlacement.None(),
        List.of(new LogSetState(1, 1, 0, 1)),
        CheckpointState.NONE,
        List.of());
  }

  /** A store with every field set, three partitions and two generations behind it. */
  static Superblock busy() {
    return new Superblock(
        ID,
        1_800_000_000_000L,
        geometry(3, 2),
        77,
        6,
        2_000,
        false,
        new RingPlacement.VolatilePlace("howdah-1122-0099", 0x0123456789ABCDEFL),
        List.of(new LogSetState(11, 12, 0, 1), new LogSetState(21, 22, 0, 331)),
        new CheckpointState(
            9, 512, 530, 500, CheckpointState.Phase.JOURNALED, 1, 1 << 20, 0xCAFEBABE),
        List.of(
            new ClosedGeneration(4, 600, 700, List.of(31L, 32L), List.of(0L, 702L, 701L)),
            new ClosedGeneration(5, 1_000, 1_500, List.of(0L, 41L), List.of(1_600L, 0L, 0L))));
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
      closed.add(
          new ClosedGeneration(
              g, g * 100L - 50, g * 100L - 25, Collections.nCopies(64, (long) g), ends));
      ends.set(g, 0L);
    }
    List<LogSetState> sets = new ArrayList<>();
    for (int s = 0; s < 64; s++) {
      sets.add(new LogSetState(s + 1, s + 2, s + 3, s + 4));
    }
    return new Superblock(
        ID,
        0,
        geometry(256, 64),
        1,
        17,
        Bounds.MAX_LSN,
        true,
        new RingPlacement.VolatilePlace("x".repeat(200), -1),
        sets,
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
