package io.howdah.server.protocol.binary;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.cache.CommandCounters;
import io.howdah.server.protocol.Authentication;
import io.howdah.server.protocol.UserList;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * All sequences of up to four SASL requests, beside a model: a step counts only right behind a
 * beginning that was told to go on, and a client is authenticated by its last attempt.
 */
final class SaslSequencesTest {

  private static final int LONGEST = 4;
  private static final String RIGHT = "\0joe\0secret";

  /** A request. */
  private enum Request {
    BEGIN("PLAIN", ""),
    BEGIN_RIGHT("PLAIN", RIGHT),
    BEGIN_WITH_IDENTITY("PLAIN", "joe" + RIGHT),
    BEGIN_FOR_ANOTHER("PLAIN", "ann" + RIGHT),
    BEGIN_WRONG("PLAIN", "\0joe\0secre"),
    BEGIN_WITHOUT_PASSWORD("PLAIN", "\0joe"),
    BEGIN_OTHERWISE("CRAM-MD5", RIGHT),
    BEGIN_OTHERWISE_EMPTY("CRAM-MD5", ""),
    STEP_RIGHT("PLAIN", RIGHT),
    STEP_WRONG("PLAIN", "\0joe\0"),
    STEP_OTHERWISE("PLAI", RIGHT);

    private final String mechanism;
    private final String message;

    Request(String mechanism, String message) {
      this.mechanism = mechanism;
      this.message = message;
    }

    boolean isStep() {
      return name().startsWith("STEP");
    }

    /** Returns whether it has the right name and password, and nothing that is wrong. */
    boolean isRight() {
      return mechanism.equals("PLAIN") && (message.equals(RIGHT) || message.equals("joe" + RIGHT));
    }
  }

  @Test
  void aStepNeedsItsBeginning() {
    tryBehind(List.of());
  }

  private static void tryBehind(List<Request> before) {
    for (Request next : Request.values()) {
      List<Request> sequence = new ArrayList<>(before);
      sequence.add(next);
      check(sequence);
      if (sequence.size() < LONGEST) {
        tryBehind(sequence);
      }
    }
  }

  private static void check(List<Request> sequence) {
    CommandCounters counters = new CommandCounters();
    Authentication authentication =
        new Authentication(UserList.of(List.of("ann:other", "joe:secret")), counters);
    SaslPlain sasl = new SaslPlain(authentication);
    boolean isBegun = false;
    boolean isDone = false;
    for (Request request : sequence) {
      byte[] mechanism = request.mechanism.getBytes(ISO_8859_1);
      byte[] message = request.message.getBytes(ISO_8859_1);
      BinaryStatus status =
          request.isStep() ? sasl.step(mechanism, message) : sasl.begin(mechanism, message);
      BinaryStatus expected;
      if (request == Request.BEGIN) {
        expected = BinaryStatus.AUTH_CONTINUE;
        isBegun = true;
      } else {
        isDone = request.isRight() && (isBegun || !request.isStep());
        isBegun = false;
        expected = isDone ? BinaryStatus.OK : BinaryStatus.AUTH_ERROR;
      }
      assertThat(status).as("%s of %s", request, sequence).isEqualTo(expected);
      assertThat(authentication.isDone()).as("%s of %s", request, sequence).isEqualTo(isDone);
    }
  }
}
