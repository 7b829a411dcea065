package io.howdah.cli.log;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The form of an event in the log. */
public enum LogFormat {
  /** Time, level, logger and message; a stack trace follows on lines of its own. */
  TEXT {
    @Override
    String line(
        Instant time,
        System.Logger.Level level,
        String logger,
        String message,
        @Nullable Throwable thrown) {
      String line = time + " " + level + " " + logger + " " + message + System.lineSeparator();
      return thrown == null ? line : line + stackTrace(thrown);
    }
  },

  /** One JSON object: time, level, logger, message, and stackTrace if there is one. */
  JSON {
    @Override
    String line(
        Instant time,
        System.Logger.Level level,
        String logger,
        String message,
        @Nullable Throwable thrown) {
      StringWriter text = new StringWriter();
      try (JsonGenerator json = Factory.JSON.createGenerator(text)) {
        json.writeStartObject();
        json.writeStringField("time", time.toString());
        json.writeStringField("level", level.getName());
        json.writeStringField("logger", logger);
        json.writeStringField("message", message);
        if (thrown != null) {
          json.writeStringField("stackTrace", stackTrace(thrown));
        }
        json.writeEndObject();
      } catch (IOException e) {
        throw new UncheckedIOException(e); // a StringWriter never fails
      }
      return text + System.lineSeparator();
    }
  };

  /** Apart, so that text does not load the JSON library. */
  private static final class Factory {
    private static final JsonFactory JSON = new JsonFactory();
  }

  /** Returns an event as one line, or more, with the line's end. */
  abstract String line(
      Instant time,
      System.Logger.Level level,
      String logger,
      String message,
      @Nullable Throwable thrown);

  /** Returns the time of now, in milliseconds of UTC. */
  static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.MILLIS);
  }

  private static String stackTrace(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text, true));
    return text.toString();
  }
}
