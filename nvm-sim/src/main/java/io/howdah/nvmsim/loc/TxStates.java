package io.howdah.nvmsim.loc;

/** The transactions of the open window (Tx State Table, LOC §IV-B, Figure 5), by place in it. */
final class TxStates {
  /** TxST state: executing. */
  static final byte ACTIVE = 1;

  /** TxST state: committed by software, not yet durable. */
  static final byte COMMITTED = 2;

  /** TxST state: aborted. */
  static final byte ABORTED = 3;

  final byte[] state;

  /** Blocks sent to the log (TxST's Wrts in the logging phase). */
  final int[] logged;

  /** Blocks left to later transactions. */
  final int[] left;

  final int[] permit;
  private int begun;

  /** All before this place are finished, and their older copies are dropped. */
  private int settled;

  TxStates(int degree) {
    state = new byte[degree];
    logged = new int[degree];
    left = new int[degree];
    permit = new int[degree];
  }

  int begun() {
    return begun;
  }

  boolean isFull() {
    return begun == state.length;
  }

  int begin(int newPermit) {
    int slot = begun++;
    state[slot] = ACTIVE;
    logged[slot] = 0;
    left[slot] = 0;
    permit[slot] = newPermit;
    return slot;
  }

  boolean anyActive() {
    return firstActive() < begun;
  }

  private int firstActive() {
    int slot = settled;
    while (slot < begun && state[slot] != ACTIVE) {
      slot++;
    }
    return slot;
  }

  int settled() {
    return settled;
  }

  /** Moves the mark of settled transactions to the first active one, and returns that. */
  int settle() {
    settled = firstActive();
    return settled;
  }

  void clear() {
    begun = 0;
    settled = 0;
  }
}
