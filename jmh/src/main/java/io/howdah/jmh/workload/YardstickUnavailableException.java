package io.howdah.jmh.workload;

/** A yardstick of {@link SixWords} cannot run here; the message says why. */
public final class YardstickUnavailableException extends Exception {

  @java.io.Serial private static final long serialVersionUID = 1;

  YardstickUnavailableException(String message) {
    super(message);
  }
}
