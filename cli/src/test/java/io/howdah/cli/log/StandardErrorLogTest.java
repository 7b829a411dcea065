package io.howdah.cli.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.ListResourceBundle;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What of the log reaches standard error, and how. */
class StandardErrorLogTest {

  private static final String HOSTILE = "a \"quoted\"\nsecond \\ line \u0007 ü";

  private final PrintStream standardError = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final System.Logger logger =
      new StandardErrorLoggerFinder().getLogger("io.x", getClass().getModule());

  @BeforeEach
  void redirect() {
    System.setErr(new PrintStream(written, false, UTF_8));
  }

  @AfterEach
  void restore() {
    System.setErr(standardError);
    StandardErrorLog.set(Level.INFO, LogFormat.TEXT);
  }

  private String written() {
    return written.toString(UTF_8);
  }

  private static Map<String, String> object(String line) throws IOException {
    Map<String, String> fields = new LinkedHashMap<>();
    try (JsonParser json = new JsonFactory().createParser(line)) {
      assertThat(json.nextToken()).isEqualTo(JsonToken.START_OBJECT);
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        json.nextToken();
        fields.put(name, json.getText());
      }
      assertThat(json.nextToken()).isNull();
    }
    return fields;
  }

  @Test
  void theJdkFindsTheLogger() {
    StandardErrorLog.set(Level.INFO, LogFormat.TEXT);
    System.getLogger("io.howdah.some").log(Level.WARNING, "found");
    assertThat(written()).endsWith(" WARNING io.howdah.some found" + System.lineSeparator());
  }

  @Test
  void aLineHasTimeLevelLoggerAndMessage() {
    StandardErrorLog.set(Level.INFO, LogFormat.TEXT);
    Instant before = LogFormat.now();
    logger.log(Level.INFO, "{0} of {1}", 3, "x");
    String[] words = written().strip().split(" ", 4);
    assertThat(Instant.parse(words[0])).isBetween(before, LogFormat.now());
    assertThat(words).endsWith("INFO", "io.x", "3 of x");
  }

  @Test
  void aPatternWithoutParametersIsWrittenAsItIs() {
    logger.log(Level.WARNING, "what's {0}");
    assertThat(written()).contains("what's {0}");
  }

  @Test
  void aBundleHasTheText() {
    ListResourceBundle bundle =
        new ListResourceBundle() {
          @Override
          protected Object[][] getContents() {
            return new Object[][] {{"key", "text {0}"}};
          }
        };
    logger.log(Level.WARNING, bundle, "key", 4);
    logger.log(Level.WARNING, bundle, "other", (Throwable) null);
    assertThat(written()).contains("text 4").contains("io.x other");
  }

  @Test
  void whatIsBelowTheLeastLevelIsNotWritten() {
    for (Level least : Level.values()) {
      StandardErrorLog.set(least, LogFormat.TEXT);
      for (Level level : Level.values()) {
        written.reset();
        logger.log(level, "event");
        boolean expected = level != Level.OFF && level.getSeverity() >= least.getSeverity();
        assertThat(!written().isEmpty()).as("%s at %s", level, least).isEqualTo(expected);
        assertThat(logger.isLoggable(level)).isEqualTo(expected);
      }
    }
  }

  /** Most commands open a store; what they print is their result. */
  @Test
  void anOpeningThatRecoveredNothingIsToldByAServerOnly() {
    System.Logger openings =
        new StandardErrorLoggerFinder()
            .getLogger("io.howdah.store.opening", getClass().getModule());
    StandardErrorLog.ofCommand();
    openings.log(Level.DEBUG, "opened");
    assertThat(written()).isEmpty();
    logger.log(Level.INFO, "recovered");
    openings.log(Level.WARNING, "odd");
    assertThat(written()).contains("recovered").contains("odd");
    StandardErrorLog.set(Level.INFO, LogFormat.TEXT);
    openings.log(Level.DEBUG, "opened");
    assertThat(written()).contains("opened");
  }

  @Test
  void aJsonLineIsOneObjectWhateverTheMessage() throws IOException {
    StandardErrorLog.set(Level.INFO, LogFormat.JSON);
    logger.log(Level.WARNING, HOSTILE);
    String line = written();
    assertThat(line.strip().lines()).hasSize(1);
    Map<String, String> fields = object(line);
    assertThat(fields.keySet()).containsExactly("time", "level", "logger", "message");
    assertThat(fields)
        .containsEntry("level", "WARNING")
        .containsEntry("logger", "io.x")
        .containsEntry("message", HOSTILE);
    assertThat(Instant.parse(fields.get("time"))).isNotNull();
  }

  @Test
  void anErrorHasItsStackTrace() throws IOException {
    Exception thrown = new IOException("no disk");
    StandardErrorLog.set(Level.INFO, LogFormat.TEXT);
    logger.log(Level.ERROR, "failed", thrown);
    assertThat(written()).contains("ERROR io.x failed").contains("java.io.IOException: no disk");
    written.reset();
    StandardErrorLog.set(Level.INFO, LogFormat.JSON);
    logger.log(Level.ERROR, "failed", thrown);
    assertThat(object(written()).get("stackTrace"))
        .startsWith("java.io.IOException: no disk")
        .contains("anErrorHasItsStackTrace");
  }

  @Test
  void nettyWritesToTheSameLog() {
    NettyLoggers.install();
    StandardErrorLog.set(Level.WARNING, LogFormat.TEXT);
    var netty = InternalLoggerFactory.getInstance("io.netty.some");
    netty.warn("{} of {}", 1, 2);
    netty.error("bad", new IOException("reset"));
    netty.info("unseen {}", 5);
    assertThat(netty.isInfoEnabled()).isFalse();
    assertThat(netty.isErrorEnabled()).isTrue();
    assertThat(written())
        .contains("WARNING io.netty.some 1 of 2")
        .contains("ERROR io.netty.some bad")
        .contains("java.io.IOException: reset")
        .doesNotContain("unseen");
  }
}
