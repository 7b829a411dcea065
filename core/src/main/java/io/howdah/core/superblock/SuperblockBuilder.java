package io.howdah.core.superblock;

import java.util.List;

/**
 * Collects the changes from one superblock to the next; only {@link #build} checks them, so their
 * order does not matter. For one thread.
 */
public final class SuperblockBuilder {

  private final Superblock origin;
  private Geometry geometry;
  private long sequence;
  private long generation;
  private long baseLsn;
  private boolean clean;
  private RingPlacement rings;
  private LogState log;
  private CheckpointState checkpoint;
  private List<ClosedGeneration> closedGenerations;

  SuperblockBuilder(Superblock origin) {
    this.origin = origin;
    this.geometry = origin.geometry();
    this.sequence = origin.sequence();
    this.generation = origin.generation();
    this.baseLsn = origin.baseLsn();
    this.clean = origin.clean();
    this.rings = origin.rings();
    this.log = origin.log();
    this.checkpoint = origin.checkpoint();
    this.closedGenerations = origin.closedGenerations();
  }

  /** Sets {@link Superblock#geometry}. */
  public SuperblockBuilder withGeometry(Geometry value) {
    geometry = value;
    return this;
  }

  /** Sets {@link Superblock#sequence}. */
  SuperblockBuilder withSequence(long value) {
    sequence = value;
    return this;
  }

  /** Sets {@link Superblock#generation}. */
  public SuperblockBuilder withGeneration(long value) {
    generation = value;
    return this;
  }

  /** Sets {@link Superblock#baseLsn}. */
  public SuperblockBuilder withBaseLsn(long value) {
    baseLsn = value;
    return this;
  }

  /** Sets {@link Superblock#clean}. */
  public SuperblockBuilder withClean(boolean value) {
    clean = value;
    return this;
  }

  /** Sets {@link Superblock#rings}. */
  public SuperblockBuilder withRings(RingPlacement value) {
    rings = value;
    return this;
  }

  /** Sets {@link Superblock#log}. */
  public SuperblockBuilder withLog(LogState value) {
    log = value;
    return this;
  }

  /** Sets {@link Superblock#checkpoint}. */
  public SuperblockBuilder withCheckpoint(CheckpointState value) {
    checkpoint = value;
    return this;
  }

  /** Sets {@link Superblock#closedGenerations}. */
  public SuperblockBuilder withClosedGenerations(List<ClosedGeneration> value) {
    closedGenerations = value;
    return this;
  }

  /**
   * Returns the superblock.
   *
   * @throws IllegalArgumentException if its parts contradict each other
   */
  public Superblock build() {
    return new Superblock(
        origin.storeId(),
        origin.createdMs(),
        geometry,
        sequence,
        generation,
        baseLsn,
        clean,
        rings,
        log,
        checkpoint,
        closedGenerations);
  }
}
