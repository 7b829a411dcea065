package io.howdah.server.protocol.session;

import static io.howdah.server.protocol.text.TextProtocolTest.bytes;
import static io.howdah.server.protocol.text.TextProtocolTest.receive;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.protocol.Authentication;
import io.howdah.server.protocol.HeapCache;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.UserList;
import io.howdah.server.protocol.binary.BinaryMessages;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may run commands, in both protocols. */
final class AuthenticationTest {

  private static final String FAILED = "CLIENT_ERROR authentication failure\r\n";

  private final HeapCache cache = new HeapCache();
  private final CommandCounters counters = new CommandCounters();
  private final Session session =
      new Session(
          cache,
          new ProtocolOptions(4096, true, "1")
              .withAuthenticator(UserList.of(List.of("ann:secret", "bob:two words"))),
          counters);

  private String send(String text) {
    Reply reply = new Reply();
    boolean goesOn = receive(session, bytes(text), reply);
    return goesOn ? reply.toString() : reply + "!";
  }

  private List<String> ask(String... requests) {
    Reply reply = new Reply();
    boolean goesOn = true;
    for (String request : requests) {
      goesOn = receive(session, BinaryMessages.request(request, 0), reply);
    }
    ByteBuffer buffer = ByteBuffer.wrap(reply.array(), 0, reply.length());
    List<String> responses = new ArrayList<>();
    while (buffer.hasRemaining()) {
      responses.add(BinaryMessages.response(buffer, new long[1]));
    }
    if (!goesOn) {
      responses.add("!");
    }
    return responses;
  }

  @Test
  void aSetWithUserAndPasswordOpensTheTextProtocol() {
    assertThat(send("set x 0 0 10\r\nann secret\r\nset a 0 0 1\r\nv\r\nget a x\r\n"))
        .isEqualTo("STORED\r\nSTORED\r\nVALUE a 0 1\r\nv\r\nEND\r\n");
    assertThat(counters.get(Counter.AUTH_CMDS)).isEqualTo(1);
    assertThat(counters.get(Counter.AUTH_ERRORS)).isZero();
    assertThat(counters.get(Counter.CMD_SET)).isEqualTo(1);
  }

  @Test
  void aPasswordMayContainSpaces() {
    assertThat(send("set x 0 0 13\r\nbob two words\r\nversion\r\n"))
        .isEqualTo("STORED\r\nVERSION 1\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get aaa",
        "version",
        "set a 0",
        "add a 0 0 1",
        "flush_all",
        "mg aaa v",
        "stats settings",
        "shutdown",
        "set a 0 0 -1",
        "verbosity 1",
        "quit now",
        "lru_crawler metadump all"
      })
  void nothingElseRunsBefore(String command) {
    assertThat(send(command + "\r\n")).isEqualTo("CLIENT_ERROR unauthenticated\r\n");
    assertThat(send("set x 0 0 10\r\nann secret\r\n")).isEqualTo("STORED\r\n");
  }

  @Test
  void whatIsNoUserAndPasswordIsRefused() {
    assertThat(send("set x 0 0 10\r\nann secreT\r\n")).isEqualTo(FAILED);
    assertThat(send("set x 0 0 4\r\nann \r\n")).isEqualTo(FAILED);
    assertThat(send("set x 0 0 3\r\nann\r\n"))
        .isEqualTo("CLIENT_ERROR bad authentication token format\r\n");
    assertThat(send("set x 0 0 3\r\nann--"))
        .isEqualTo("CLIENT_ERROR bad command line termination\r\n");
    assertThat(send("set x 0 0 20000\r\n")).isEqualTo("CLIENT_ERROR auth token too long\r\n");
    assertThat(cache.get(bytes("x"))).isNull();
    assertThat(counters.get(Counter.AUTH_ERRORS)).isEqualTo(2);
  }

  @Test
  void whoGuessesLosesTheConnection() {
    String guess = "set x 0 0 9\r\nann guess\r\n";
    assertThat(send(guess.repeat(100))).isEqualTo(FAILED.repeat(Authentication.MAX_FAILURES) + "!");
    assertThat(counters.get(Counter.AUTH_ERRORS)).isEqualTo(Authentication.MAX_FAILURES);
  }

  @Test
  void aLongLineIsNoMultigetBefore() {
    assertThat(send("get " + "k ".repeat(1100))).isEqualTo("!");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"get key=a", "noop", "set key=a value=x", "stat", "flush", "quit", "verbosity"})
  void noBinaryCommandRunsBefore(String request) {
    assertThat(ask(request))
        .containsExactly(request.split(" ", 2)[0] + " auth-error value=auth failure.", "!");
    assertThat(cache.get(bytes("a"))).isNull();
  }

  @Test
  void saslPlainOpensTheBinaryProtocol() {
    assertThat(
            ask(
                "version",
                "sasl_list",
                "sasl_auth key=PLAIN value=\\0ann\\0secret",
                "set key=a value=x",
                "get key=a"))
        .containsExactly(
            "version ok value=1",
            "sasl-list ok value=plain",
            "sasl-auth ok value=authenticated",
            "set ok cas",
            "get ok flags=0 cas value=x");
  }

  @Test
  void saslInTwoSteps() {
    assertThat(ask("sasl_auth key=PLAIN", "sasl_step key=PLAIN value=ann\\0ann\\0secret", "noop"))
        .containsExactly("sasl-auth auth-continue", "sasl-step ok value=authenticated", "noop ok");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sasl_auth key=PLAIN value=\\0ann\\0secreT",
        "sasl_auth key=PLAIN value=\\0ann",
        "sasl_auth key=PLAIN value=bob\\0ann\\0secret",
        "sasl_auth key=LOGIN value=\\0ann\\0secret",
        "sasl_step key=PLAIN value=\\0ann\\0secret"
      })
  void saslRefuses(String request) {
    String name = request.split(" ", 2)[0].replace('_', '-');
    assertThat(ask(request, "get key=a"))
        .containsExactly(
            name + " auth-error value=auth failure.", "get auth-error value=auth failure.", "!");
  }

  @Test
  void aWrongPasswordLaterTakesThePermissionBack() {
    assertThat(
            ask(
                "sasl_auth key=PLAIN value=\\0ann\\0secret",
                "sasl_auth key=PLAIN value=\\0ann\\0wrong",
                "get key=a"))
        .containsExactly(
            "sasl-auth ok value=authenticated",
            "sasl-auth auth-error value=auth failure.",
            "get auth-error value=auth failure.",
            "!");
  }
}
