package io.howdah.server.protocol.text;

import io.howdah.server.protocol.Authentication;
import io.howdah.server.protocol.Numbers;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.Tokens;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a client may say in the text protocol before it is known: a {@code set} of any key, whose
 * value is the user, a space, and the password. Replies are those of memcached 1.6.
 */
final class TextAuthentication {

  private static final int MIN_LINE_BYTES = 6;
  private static final int MAX_VALUE_BYTES = 16384;

  private final TextDecoder decoder;
  private final Authentication authentication;
  private final Tokens tokens;

  TextAuthentication(TextDecoder decoder, Authentication authentication, Tokens tokens) {
    this.decoder = decoder;
    this.authentication = authentication;
    this.tokens = tokens;
  }

  /** Takes the line that is in the tokens. */
  void run(int lineBytes, Reply reply) {
    if (lineBytes < MIN_LINE_BYTES) {
      decoder.close();
      return;
    }
    long bytes =
        tokens.count() >= 5 && tokens.is(0, "set") ? tokens.unsigned32(4, 0) : Numbers.NOT_A_NUMBER;
    if (bytes == Numbers.NOT_A_NUMBER) {
      refuse("CLIENT_ERROR unauthenticated", reply);
    } else if (bytes > MAX_VALUE_BYTES) {
      refuse("CLIENT_ERROR auth token too long", reply);
    } else {
      decoder.awaitLogin((int) bytes);
    }
  }

  private void refuse(String line, Reply reply) {
    authentication.refused();
    reply.add(line).endLine();
    closeIfHopeless();
  }

  /**
   * Takes what came as a value.
   *
   * @param value null if what followed it was no line end
   */
  void check(byte @Nullable [] value, Reply reply) {
    if (value == null) {
      refuse("CLIENT_ERROR bad command line termination", reply);
      return;
    }
    int space = 0;
    while (space < value.length && value[space] != ' ') {
      space++;
    }
    if (space == value.length) {
      refuse("CLIENT_ERROR bad authentication token format", reply);
      return;
    }
    byte[] user = Arrays.copyOf(value, space);
    byte[] password = Arrays.copyOfRange(value, space + 1, value.length);
    boolean isAllowed = authentication.attempt(user, password);
    reply.add(isAllowed ? "STORED" : "CLIENT_ERROR authentication failure").endLine();
    closeIfHopeless();
  }

  private void closeIfHopeless() {
    if (authentication.isHopeless()) {
      decoder.close();
    }
  }
}
