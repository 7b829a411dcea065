package io.howdah.nvmsim.thynvm.table;

/**
 * The seven states of a BTT entry, which stand for the legal combinations of the three fields of
 * the paper's Figure 5. The paper's online document names them; it calls {@code PRE_DIRTY} stained
 * and {@code PRE_HIDDEN} temporary in places.
 */
public enum BlockState {
  /** Of no block. */
  FREE(Version.NONE, Region.HOME),
  /** The last checkpoint of the block lies in a slot; what Home holds is older. */
  CLEAN(Version.LAST, Region.BLOCK_CHECKPOINT),
  /** Written in this epoch, in a slot; Home holds the last checkpoint. */
  DIRTY(Version.ACTIVE, Region.BLOCK_CHECKPOINT),
  /** Written in this epoch, in Home; a slot holds the last checkpoint. */
  HIDDEN(Version.ACTIVE, Region.HOME),
  /** Written while the last epoch is being checkpointed, in DRAM; becomes {@link #DIRTY}. */
  PRE_DIRTY(Version.ACTIVE, Region.BLOCK_CACHE),
  /** Written while the last epoch is being checkpointed, in DRAM; becomes {@link #HIDDEN}. */
  PRE_HIDDEN(Version.ACTIVE, Region.BLOCK_CACHE),
  /** A block of a page that is being written back, in DRAM; returns to its page. */
  LOAN(Version.ACTIVE, Region.BLOCK_CACHE);

  /** The version ID of Figure 5: which version the software sees. */
  public enum Version {
    NONE,
    ACTIVE,
    LAST
  }

  /** The visible memory region ID of Figure 5. */
  public enum Region {
    HOME,
    BLOCK_CHECKPOINT,
    PAGE_CHECKPOINT,
    BLOCK_CACHE,
    PAGE_CACHE
  }

  private final Version version;
  private final Region region;

  BlockState(Version version, Region region) {
    this.version = version;
    this.region = region;
  }

  public Version version() {
    return version;
  }

  public Region region() {
    return region;
  }

  /** Whether the block was written in the active epoch, by the block scheme. */
  public boolean writtenInEpoch() {
    return this == DIRTY || this == HIDDEN || this == PRE_DIRTY || this == PRE_HIDDEN;
  }
}
