package io.howdah.cli.serve;

/** An option has a value that is not allowed; the message names both. */
final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
