package io.howdah.crashtest.serve;

/** The server did what it must not do. */
final class BrokenPromise extends RuntimeException {

  private static final long serialVersionUID = 1;

  BrokenPromise(String message) {
    super(message);
  }
}
