package io.howdah.examples.shop;

/** A request that the shop refuses. Thrown in a transaction, it undoes the transaction. */
final class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Why; each reason has a status of HTTP. */
  enum Reason {
    INVALID(400),
    UNKNOWN(404),
    CONFLICT(409),
    TOO_LARGE(413);

    private final int status;

    Reason(int status) {
      this.status = status;
    }
  }

  private final Reason reason;
  private final String message;

  RefusedException(Reason reason, String message) {
    super(message);
    this.reason = reason;
    this.message = message;
  }

  @Override
  public String getMessage() {
    return message;
  }

  int status() {
    return reason.status;
  }
}
