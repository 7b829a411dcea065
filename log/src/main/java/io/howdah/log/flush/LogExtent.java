package io.howdah.log.flush;

/**
 * The durable part of a segment, which may be copied while the log is in use.
 *
 * @param name name of the segment's file, relative to the store
 * @param sequence sequence of the segment; a file gets a new one each time it is reused
 * @param lengthBytes length of the file
 * @param endBytes end of the durable batches; the length of the file for a complete segment, which
 *     may have an unused rest
 */
public record LogExtent(String name, long sequence, int lengthBytes, int endBytes) {

  /** Returns whether no further batch will be written to the segment. */
  public boolean isComplete() {
    return endBytes == lengthBytes;
  }
}
