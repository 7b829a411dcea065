package io.howdah.server.protocol.binary;

import io.howdah.server.protocol.Authentication;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** SASL with the mechanism PLAIN (RFC 4616): for whom to act, user, password, in one message. */
final class SaslPlain {

  static final String MECHANISM = "PLAIN";

  private final Authentication authentication;

  /** The client named the mechanism, and its message is still to come. */
  private boolean isBegun;

  SaslPlain(Authentication authentication) {
    this.authentication = authentication;
  }

  /** Begins, and ends if the message is there already. */
  BinaryStatus begin(byte[] mechanism, byte[] message) {
    isBegun = isPlain(mechanism);
    if (isBegun && message.length == 0) {
      return BinaryStatus.AUTH_CONTINUE;
    }
    return step(mechanism, message);
  }

  /** Ends with the client's message. */
  BinaryStatus step(byte[] mechanism, byte[] message) {
    boolean isExpected = isBegun && isPlain(mechanism);
    isBegun = false;
    int afterIdentity = indexOfZero(message, 0) + 1;
    int afterUser = indexOfZero(message, afterIdentity) + 1;
    if (!isExpected || afterIdentity == 0 || afterUser == 0) {
      authentication.malformed();
      return BinaryStatus.AUTH_ERROR;
    }
    byte[] identity = Arrays.copyOf(message, afterIdentity - 1);
    byte[] user = Arrays.copyOfRange(message, afterIdentity, afterUser - 1);
    if (identity.length > 0 && !Arrays.equals(identity, user)) {
      authentication.malformed(); // nobody acts for another
      return BinaryStatus.AUTH_ERROR;
    }
    byte[] password = Arrays.copyOfRange(message, afterUser, message.length);
    return authentication.attempt(user, password) ? BinaryStatus.OK : BinaryStatus.AUTH_ERROR;
  }

  private static boolean isPlain(byte[] mechanism) {
    return Arrays.equals(mechanism, MECHANISM.getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns the index of the next zero byte, or -1. */
  private static int indexOfZero(byte[] bytes, int from) {
    for (int i = from; i < bytes.length; i++) {
      if (bytes[i] == 0) {
        return i;
      }
    }
    return -1;
  }
}
