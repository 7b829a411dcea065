package io.howdah.nvmsim.loc;

import org.jspecify.annotations.Nullable;

/**
 * Makes a transaction protocol of your own: found by {@link java.util.ServiceLoader}, or given to
 * {@code LocTrial}. It runs beside the paper's protocols, and if it {@linkplain #recovers
 * recovers}, its power is cut as theirs is.
 */
public interface ProtocolProvider {
  /** Short name, as the report has it. */
  String name();

  /**
   * Creates a core that runs the protocol.
   *
   * @param config the machine
   * @param degree transactions per speculation window, for protocols that have one
   * @param contents what memory holds, to be handed to {@link OwnProtocol}; null in timing runs
   */
  OwnProtocol create(CoreConfig config, int degree, @Nullable Contents contents);

  /**
   * Whether {@link #recover} makes memory whole after a power cut. Without, the protocol is timed
   * only.
   */
  default boolean recovers() {
    return false;
  }

  /**
   * Brings the data to the state after the last transaction that is kept, from what a power cut
   * left of data and log. Memory that was never used is all zero in the log. It may be cut too, and
   * is run again then. Afterwards the protocol may run on this memory.
   */
  default void recover(RecoveryMemory memory) {
    throw new UnsupportedOperationException(name() + " has no recovery");
  }
}
