package io.howdah.core.superblock;

import io.howdah.core.StoreId;
import io.howdah.core.layout.SuperblockLayout;
import java.util.List;

/**
 * One state of a store, as the superblock holds it. Immutable: a change of state is a new
 * superblock, made with the {@code with} methods and written by {@link SuperblockFile#write}.
 *
 * @param storeId of this store
 * @param createdMs when the store was created, in milliseconds since 1970
 * @param geometry the store's dimensions
 * @param sequence of this superblock, from 1; {@link SuperblockFile#write} counts it
 * @param generation the current one, from 1
 * @param baseLsn dense LSN above which those of the generation start
 * @param clean whether the store was closed and nothing is to be replayed
 * @param rings where the rings of this opening are; none if the store was closed
 * @param log the log's files
 * @param checkpoint how far the newest checkpoint has come
 * @param closedGenerations recovery records of earlier generations, ascending, at most 16
 */
public record Superblock(
    StoreId storeId,
    long createdMs,
    Geometry geometry,
    long sequence,
    long generation,
    long baseLsn,
    boolean clean,
    RingPlacement rings,
    LogState log,
    CheckpointState checkpoint,
    List<ClosedGeneration> closedGenerations) {

  /** Refuses values that contradict each other; copies the lists. */
  public Superblock {
    closedGenerations = List.copyOf(closedGenerations);
    Bounds.requireCounter("createdMs", createdMs, 0);
    Bounds.requireCounter("superblock sequence", sequence, 1);
    Bounds.requireCounter("generation", generation, 1);
    Bounds.requireLsn("baseLsn", baseLsn);
    Bounds.require(
        "closed generations", closedGenerations.size(), 0, SuperblockLayout.MAX_CLOSED_GENERATIONS);
    if (clean && !(rings instanceof RingPlacement.None)) {
      throw new IllegalArgumentException("a store that was closed has no rings, not " + rings);
    }
    if (!clean && rings instanceof RingPlacement.None && rings.nonce() != 0) {
      throw new IllegalArgumentException("a store that was not closed keeps no memory: " + rings);
    }
    requireOrder(closedGenerations, geometry, generation, baseLsn);
  }

  // closed.generation < next.generation and closed.lastSurvivor <= next.baseLsn, the current
  // generation being the last "next": LSNs grow over generations and are never given out twice.
  private static void requireOrder(
      List<ClosedGeneration> closed, Geometry geometry, long generation, long baseLsn) {
    long nextGeneration = generation;
    long nextBaseLsn = baseLsn;
    for (ClosedGeneration record : closed.reversed()) {
      requireCount("survivor ends", record.survivorEnds().size(), geometry.partitions());
      Bounds.require("closed generation", record.generation(), 1, nextGeneration - 1);
      Bounds.require("last survivor", record.lastSurvivor(), 0, nextBaseLsn);
      nextGeneration = record.generation();
      nextBaseLsn = record.baseLsn();
    }
  }

  private static void requireCount(String name, int count, int expected) {
    Bounds.require(name, count, expected, expected);
  }

  /** Returns a builder that starts from this superblock. */
  public SuperblockBuilder change() {
    return new SuperblockBuilder(this);
  }
}
