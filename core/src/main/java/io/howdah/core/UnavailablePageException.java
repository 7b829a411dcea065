package io.howdah.core;

/**
 * A page of a mapped file has no memory behind it: the file system is full, as a tmpfs may be, or
 * the page cannot be read. The transaction, or whatever else needed the page, did not happen. The
 * store goes on with its other pages, and with this one as soon as it can be had.
 */
public final class UnavailablePageException extends HowdahException {

  private static final long serialVersionUID = 1L;

  private final String file;
  private final long offset;

  /**
   * Creates one.
   *
   * @param file the mapped file
   * @param offset of the page in the file, or -1 if it is not known which page it is
   * @param problem why it is not available, and what to do
   * @param fault that the access threw
   */
  public UnavailablePageException(String file, long offset, String problem, InternalError fault) {
    super(file + (offset < 0 ? "" : " at offset " + offset) + ": " + problem, fault);
    this.file = file;
    this.offset = offset;
  }

  /** Returns the mapped file. */
  public String file() {
    return file;
  }

  /** Returns the offset of the page in the file, or -1. */
  public long offset() {
    return offset;
  }
}
