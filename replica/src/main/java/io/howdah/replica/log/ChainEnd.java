package io.howdah.replica.log;

/**
 * The end of the chain of entries that count.
 *
 * @param epoch number of the last epoch, 0 before the first one
 * @param nonce of that epoch
 * @param sequence of the epoch's last batch, 0 if it has none
 * @param crc checksum of that batch; without one, what the first batch names as its predecessor's
 * @param cut dense: the LSN up to which every commit is in the chain
 */
public record ChainEnd(long epoch, long nonce, long sequence, int crc, long cut) {

  /** The end of an empty chain. */
  public static final ChainEnd START = new ChainEnd(0, 0, 0, 0, 0);
}
