package io.howdah.core.superblock;

import java.util.List;

/**
 * The recovery record of a generation that is over: what of it survived, for ever. It keeps
 * discarded LSNs from coming back at a later recovery, and is kept until a checkpoint has made the
 * generation's segments free (docs/protocol.md, R20).
 *
 * @param generation its number, from 1
 * @param baseLsn dense LSN above which its own start
 * @param cut dense LSN up to which all survived, at least {@code baseLsn}
 * @param lastBatch sequence of its last batch, 0 = none: all up to it are durable, and none after
 *     it counts
 * @param survivorEnds for each partition the last dense LSN that survived beyond the cut, 0 = none
 */
public record ClosedGeneration(
    long generation, long baseLsn, long cut, long lastBatch, List<Long> survivorEnds) {

  /** Refuses values out of bounds; copies the lists. */
  public ClosedGeneration {
    survivorEnds = List.copyOf(survivorEnds);
    Bounds.requireCounter("generation", generation, 1);
    Bounds.requireLsn("baseLsn", baseLsn);
    Bounds.require("cut", cut, baseLsn, Bounds.MAX_LSN);
    Bounds.requireCounter("lastBatch", lastBatch, 0);
    for (long end : survivorEnds) {
      if (end != 0) {
        Bounds.require("survivorEnd", end, cut + 1, Bounds.MAX_LSN);
      }
    }
  }

  /** Returns the largest dense LSN that survived. */
  public long lastSurvivor() {
    long last = cut;
    for (long end : survivorEnds) {
      last = Math.max(last, end);
    }
    return last;
  }
}
