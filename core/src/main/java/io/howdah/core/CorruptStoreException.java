package io.howdah.core;

/**
 * Bytes that were durable no longer read as what was written. Nothing is guessed and nothing
 * dropped: the store stays as it is for inspection.
 */
public final class CorruptStoreException extends HowdahException {

  private static final long serialVersionUID = 1L;

  private final String file;
  private final long offset;

  /**
   * Creates one.
   *
   * @param file the damaged file's name, as the storage describes it
   * @param offset the first byte known to be wrong, or -1 when the file as a whole is
   * @param problem what is wrong, with expected and actual values, and what to do
   */
  public CorruptStoreException(String file, long offset, String problem) {
    super(file + (offset < 0 ? "" : " at offset " + offset) + ": " + problem);
    this.file = file;
    this.offset = offset;
  }

  private CorruptStoreException(CorruptStoreException damage, String message) {
    super(message, damage);
    this.file = damage.file;
    this.offset = damage.offset;
  }

  /**
   * Returns an exception that also names the store, with this one as its cause, or this one if it
   * does so already.
   *
   * @param store how the storage describes itself: its directory
   */
  public CorruptStoreException in(String store) {
    String message = String.valueOf(getMessage());
    return message.contains(store)
        ? this
        : new CorruptStoreException(this, "store " + store + ": " + message);
  }

  /** Returns the damaged file's name. */
  public String file() {
    return file;
  }

  /** Returns the first byte known to be wrong, or -1. */
  public long offset() {
    return offset;
  }
}
