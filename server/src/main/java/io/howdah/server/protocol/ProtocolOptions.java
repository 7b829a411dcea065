package io.howdah.server.protocol;

/**
 * What a session accepts.
 *
 * @param maxItemBytes the largest item, with its key and {@link #ITEM_OVERHEAD_BYTES}
 * @param flushAllowed whether {@code flush_all} is obeyed
 * @param version what {@code version} replies
 */
public record ProtocolOptions(int maxItemBytes, boolean flushAllowed, String version) {

  /** What memcached's own header takes of the largest item's size. */
  public static final int ITEM_OVERHEAD_BYTES = 50;

  /** memcached's default of the largest item. */
  public static final int DEFAULT_MAX_ITEM_BYTES = 1 << 20;

  /** The largest that may be asked for. */
  public static final int MAX_MAX_ITEM_BYTES = 1 << 22;

  /** Checks the limits. */
  public ProtocolOptions {
    if (maxItemBytes < 1024 || maxItemBytes > MAX_MAX_ITEM_BYTES) {
      throw new IllegalArgumentException(
          "the largest item has 1024 to " + MAX_MAX_ITEM_BYTES + " bytes, not " + maxItemBytes);
    }
  }

  boolean fits(int keyBytes, long valueBytes) {
    return keyBytes + valueBytes + ITEM_OVERHEAD_BYTES <= maxItemBytes;
  }
}
