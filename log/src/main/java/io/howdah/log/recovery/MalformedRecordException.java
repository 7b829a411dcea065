package io.howdah.log.recovery;

/**
 * Bytes under a valid checksum that are no redo record. Whoever knows which file they came from
 * turns it into an error that says so.
 */
final class MalformedRecordException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Where in the buffer. */
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
