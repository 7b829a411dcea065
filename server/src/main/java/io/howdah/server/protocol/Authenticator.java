package io.howdah.server.protocol;

/**
 * Decides who may use the server. A session with an authenticator runs no command before the client
 * has named a user and the password: in the text protocol by a {@code set} whose value is {@code
 * user password}, in the binary protocol by SASL PLAIN. Thread-safe, and does not block: sessions
 * ask it within the event loop.
 */
@FunctionalInterface
public interface Authenticator {

  /**
   * Returns whether the password is the user's. The time that it takes depends neither on which
   * users exist nor on how much of the password is right.
   *
   * @param user as the client sent it; not changed, and not kept
   * @param password as the client sent it; not changed, and not kept
   */
  boolean isAllowed(byte[] user, byte[] password);
}
