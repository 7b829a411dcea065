package io.howdah.nvmsim.persistency.reference;

import io.howdah.nvmsim.persistency.PersistencyModel;

/**
 * A model stated as axioms on pairs of events, for the {@link ReferenceChecker}. This is a second,
 * independent statement of what a {@link PersistencyModel} does step by step.
 *
 * @param programOrder whether two events of one thread are ordered, the earlier one first
 * @param tracksVolatile whether conflicts on volatile memory order events
 * @param tracksLoads whether a load orders a later store of the same block
 */
public record Axioms(ProgramOrder programOrder, boolean tracksVolatile, boolean tracksLoads) {
  /**
   * An event's place in its thread.
   *
   * @param barriers persist barriers and syncs of the thread before it
   * @param strand strand barriers of the thread before it
   * @param syncs persist syncs of the thread before it
   */
  public record Place(int barriers, int strand, int syncs) {}

  /** Orders two events of one thread. */
  @FunctionalInterface
  public interface ProgramOrder {
    boolean orders(Place earlier, Place later);
  }

  /** Every two events of a thread are ordered (§5.1). */
  public static final Axioms STRICT = new Axioms((_, _) -> true, true, true);

  /** Two events with a persist barrier between them are ordered (§5.2). */
  public static final Axioms EPOCH =
      new Axioms((earlier, later) -> earlier.barriers < later.barriers, true, true);

  /**
   * Two events of one strand with a persist barrier between them are ordered (§5.3). So are two of
   * a thread with a persist sync between them, since the thread waited.
   */
  public static final Axioms STRAND =
      new Axioms(
          (earlier, later) ->
              earlier.syncs < later.syncs
                  || (earlier.strand == later.strand && earlier.barriers < later.barriers),
          true,
          true);

  /** {@link #EPOCH} with BPFS's two omissions. */
  public static final Axioms BPFS = EPOCH.tracking(false, false);

  /** The same program order with other conflicts tracked. */
  public Axioms tracking(boolean volatileConflicts, boolean loadConflicts) {
    return new Axioms(programOrder, volatileConflicts, loadConflicts);
  }
}
