package io.howdah.nvmsim.persistency;

import java.util.List;

/** The models of <i>Memory Persistency</i> (ISCA 2014, §5) and the BPFS variant of its §5.2. */
public final class Models {
  /** Persists follow program order; barriers and strands say nothing new (§5.1). */
  public static final PersistencyModel STRICT = new Strict("strict");

  /**
   * The same order of persists as {@link #STRICT}; execution runs ahead of it and waits only at a
   * persist sync (§4.1). What differs is the rule for throughput.
   */
  public static final PersistencyModel BUFFERED_STRICT = new Strict("buffered-strict");

  /** Persists within a barrier-delimited epoch are concurrent (§5.2). */
  public static final PersistencyModel EPOCH = new Epoch("epoch", true, true);

  /** Epochs, and each strand is as a thread of its own (§5.3). */
  public static final PersistencyModel STRAND = new Strand();

  /**
   * Epochs as BPFS detects them: conflicts on volatile memory, and loads before stores, go unseen
   * (§5.2).
   */
  public static final PersistencyModel BPFS = new Epoch("bpfs", false, false);

  /**
   * x86 without its buffers: a fence orders the stores whose lines the thread wrote back before it,
   * and nothing else. A persist barrier orders all that was seen, as under {@link #EPOCH}.
   */
  public static final PersistencyModel WRITE_BACK = new WriteBack();

  private Models() {}

  /** An epoch model with either of BPFS's two omissions alone. */
  public static PersistencyModel epochVariant(boolean tracksVolatile, boolean tracksLoads) {
    return new Epoch(
        "epoch" + (tracksVolatile ? "" : "-novolatile") + (tracksLoads ? "" : "-noloads"),
        tracksVolatile,
        tracksLoads);
  }

  /** The models of the paper; {@link #WRITE_BACK} is for traces that have write-backs. */
  public static List<PersistencyModel> all() {
    return List.of(STRICT, BUFFERED_STRICT, EPOCH, STRAND, BPFS);
  }

  private record Strict(String name) implements PersistencyModel {
    @Override
    public void onBarrier(ThreadOrder thread) {}

    @Override
    public boolean observesAccesses() {
      return true;
    }

    @Override
    public void onAccess(ThreadOrder thread, int kind, boolean persistent, long address, int size) {
      thread.orderSeen();
    }
  }

  private record Epoch(String name, boolean tracksVolatile, boolean tracksLoads)
      implements PersistencyModel {
    @Override
    public void onBarrier(ThreadOrder thread) {
      thread.orderSeen();
    }
  }

  private record WriteBack() implements PersistencyModel {
    @Override
    public String name() {
      return "write-back";
    }

    @Override
    public void onBarrier(ThreadOrder thread) {
      thread.orderSeen();
    }

    @Override
    public void onFlush(ThreadOrder thread, long address, int size) {
      thread.writeBack(address, size);
    }

    @Override
    public void onFence(ThreadOrder thread) {
      thread.orderWrittenBack();
    }
  }

  private record Strand() implements PersistencyModel {
    @Override
    public String name() {
      return "strand";
    }

    @Override
    public void onBarrier(ThreadOrder thread) {
      thread.orderSeen();
    }

    @Override
    public void onNewStrand(ThreadOrder thread) {
      thread.forget();
    }
  }
}
