package io.howdah.server.protocol;

/** Lines that refuse a command, of the text protocol and of its meta commands. */
public final class Refusals {

  public static final String BAD_FORMAT = "CLIENT_ERROR bad command line format";
  public static final String TOO_LARGE = "SERVER_ERROR object too large for cache";
  public static final String NOT_A_NUMBER =
      "CLIENT_ERROR cannot increment or decrement non-numeric value";

  private Refusals() {}
}
