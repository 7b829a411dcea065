package io.howdah.nvmsim.thynvm.workload;

import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.workload.AccessSink;
import java.util.Locale;

/**
 * Memory-intensive kernels that stand in for SPEC CPU2006, which we may not ship. They are not
 * SPEC; each has the locality of some of its programs, and 16 to 48 MB of data.
 */
public enum Kernel {
  /** Five-point stencil over two grids, as in GemsFDTD, leslie3d, bwaves or milc. */
  STENCIL {
    @Override
    void round(AccessSink sink, SplitMix random, int round) {
      long from = (round & 1) * GRID;
      long to = GRID - from;
      for (int row = 1; row < SIDE - 1; row++) {
        for (int column = 1; column < SIDE - 1; column++) {
          long cell = ((long) row * SIDE + column) * WORD;
          sink.load(from + cell - WORD);
          sink.load(from + cell);
          sink.load(from + cell + WORD);
          sink.load(from + cell - SIDE * WORD);
          sink.load(from + cell + SIDE * WORD);
          sink.work(12);
          sink.store(to + cell);
        }
      }
    }
  },
  /** Triad over three arrays, as in lbm. */
  STREAM {
    @Override
    void round(AccessSink sink, SplitMix random, int round) {
      for (long i = 0; i < GRID; i += WORD) {
        sink.load(i);
        sink.load(GRID + i);
        sink.work(8);
        sink.store(2 * GRID + i);
      }
    }
  },
  /** Follows random pointers and changes one node in eight, as in omnetpp. */
  CHASE {
    @Override
    void round(AccessSink sink, SplitMix random, int round) {
      for (int i = 0; i < 400_000; i++) {
        long node = (long) random.below(NODES) * 64;
        sink.load(node);
        sink.work(30);
        sink.load(node + WORD);
        if ((i & 7) == 0) {
          sink.store(node + 2 * WORD);
        }
      }
    }
  },
  /** Sparse matrix times vector, eight values a row, as in soplex. */
  SPMV {
    @Override
    void round(AccessSink sink, SplitMix random, int round) {
      int rows = 1 << 17;
      for (int row = 0; row < rows; row++) {
        for (int i = 0; i < 8; i++) {
          long at = ((long) row * 8 + i) * WORD;
          sink.load(at);
          sink.load(GRID + at / 2);
          sink.load(2 * GRID + (long) random.below(rows) * WORD);
          sink.work(6);
        }
        sink.store(2 * GRID + ((long) rows + row) * WORD);
      }
    }
  },
  /** Relaxes edges of a random graph, as in gcc's or a solver's irregular passes. */
  GRAPH {
    @Override
    void round(AccessSink sink, SplitMix random, int round) {
      int edges = 300_000;
      for (int edge = 0; edge < edges; edge++) {
        sink.load(GRID + (long) edge * 2 * WORD);
        sink.work(10);
        sink.load((long) random.below(NODES / 2) * 64);
        long target = (long) random.below(NODES / 2) * 64;
        sink.load(target);
        if ((random.next() & 3) == 0) {
          sink.store(target);
        }
      }
    }
  };

  private static final int WORD = Long.BYTES;
  private static final int SIDE = 1448;
  private static final long GRID = 16L << 20;
  private static final int NODES = 1 << 18;

  abstract void round(AccessSink sink, SplitMix random, int round);

  /** Runs so many rounds over the data. */
  public void run(AccessSink sink, int rounds, long seed) {
    SplitMix random = new SplitMix(seed);
    for (int round = 0; round < rounds; round++) {
      round(sink, random, round);
    }
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
