package io.howdah.log.recovery;

/** A ring is missing, or not as the commits left it; only forced batches count. */
final class UntrustedRingsException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UntrustedRingsException(String reason) {
    super(reason, null, false, false);
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}
