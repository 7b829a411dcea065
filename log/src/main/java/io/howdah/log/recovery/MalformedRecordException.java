package io.howdah.log.recovery;

/**
 * Bytes with a valid checksum that are not a redo record. A caller that knows the file converts it
 * into an error that names the file.
 */
final class MalformedRecordException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Index in the buffer. */
  private final int at;

  MalformedRecordException(int at, String problem) {
    super(problem, null, false, false);
    this.at = at;
  }

  int at() {
    return at;
  }

  String problem() {
    return String.valueOf(getMessage());
  }
}
