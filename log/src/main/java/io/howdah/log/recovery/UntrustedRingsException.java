package io.howdah.log.recovery;

/** The rings are not all there, or not all as the commits left them; only forced batches count. */
final class UntrustedRingsException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UntrustedRingsException(String reason) {
    super(reason, null, false, false);
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}
