package io.howdah.nvmsim.loc;

/** A transaction changes more lines than the TxCnt of its last block can count. */
public final class TransactionTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TransactionTooLargeException(long txId, int blocks) {
    super(
        "transaction "
            + txId
            + " changes "
            + blocks
            + " lines of 64 bytes; the log counts up to "
            + LogLayout.MAX_TX_COUNT
            + " blocks of a transaction; make transactions smaller");
  }
}
