package io.howdah.server.protocol;

/** Lines that refuse a command, of the text protocol and of its meta commands. */
final class Refusals {

  static final String BAD_FORMAT = "CLIENT_ERROR bad command line format";
  static final String TOO_LARGE = "SERVER_ERROR object too large for cache";
  static final String NOT_A_NUMBER = "CLIENT_ERROR cannot increment or decrement non-numeric value";

  private Refusals() {}
}
