package io.howdah.lab.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsFile;
import io.howdah.cli.json.MetricsRun;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads what {@link MetricsFile#writeTo(Path)} has written. */
public final class MetricsReader {

  private MetricsReader() {}

  /**
   * Returns the whole file.
   *
   * @throws IOException if the file cannot be read or is not of that form
   */
  public static MetricsFile read(Path file) throws IOException {
    Map<String, String> texts = new TreeMap<>();
    Map<String, Double> numbers = new TreeMap<>();
    Map<String, Object> params = new TreeMap<>();
    List<Metric> metrics = new ArrayList<>();
    List<String> violations = new ArrayList<>();
    boolean noisy = false;
    try (JsonParser json = new JsonFactory().createParser(file.toFile())) {
      expect(json, json.nextToken(), JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        JsonToken value = json.nextToken();
        switch (value) {
          case VALUE_STRING -> texts.put(field, json.getText());
          case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> numbers.put(field, json.getDoubleValue());
          case VALUE_TRUE -> noisy |= field.equals("noisy");
          case START_OBJECT -> params.putAll(params(json));
          case START_ARRAY -> {
            while (json.nextToken() != JsonToken.END_ARRAY) {
              if (json.currentToken() == JsonToken.START_OBJECT) {
                metrics.add(metric(json));
              } else {
                violations.add(json.getText());
              }
            }
          }
          default -> json.skipChildren();
        }
      }
      return new MetricsFile(
          found(json, texts, "command"),
          found(json, texts, "commit"),
          found(json, texts, "jvm"),
          found(json, texts, "os"),
          found(json, numbers, "cores").intValue(),
          Instant.parse(found(json, texts, "started")),
          found(json, numbers, "seconds"),
          noisy,
          params,
          metrics,
          violations);
    } catch (DateTimeException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  /**
   * Adds what a command in another JVM has written to this one's run: its metrics and violations,
   * that it was noisy, and which baselines were.
   *
   * @throws IOException if the file cannot be read or is not of that form
   */
  public static void addTo(MetricsRun run, Path file) throws IOException {
    MetricsFile other = read(file);
    if (other.noisy()) {
      run.markNoisy();
    }
    if (other.params().get(MetricsRun.NOISY_BASELINES) instanceof String baselines) {
      for (String baseline : baselines.split(MetricsRun.BETWEEN, -1)) {
        run.markNoisy(baseline);
      }
    }
    other.metrics().forEach(run::add);
    other.violations().forEach(run::violation);
  }

  private static Metric metric(JsonParser json) throws IOException {
    Map<String, Double> numbers = new TreeMap<>();
    Map<String, String> texts = new TreeMap<>();
    Map<String, Object> params = new TreeMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      if (value == JsonToken.START_OBJECT) {
        params.putAll(params(json));
      } else if (value == JsonToken.VALUE_STRING) {
        texts.put(field, json.getText());
      } else {
        numbers.put(field, json.getDoubleValue());
      }
    }
    return new Metric(
        found(json, texts, "name"),
        found(json, numbers, "value"),
        found(json, texts, "unit"),
        found(json, numbers, "min"),
        found(json, numbers, "max"),
        found(json, numbers, "samples").intValue(),
        params);
  }

  private static Map<String, Object> params(JsonParser json) throws IOException {
    Map<String, Object> params = new TreeMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String param = json.currentName();
      params.put(param, value(json, json.nextToken()));
    }
    return params;
  }

  private static Object value(JsonParser json, JsonToken token) throws IOException {
    return switch (token) {
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NUMBER_INT -> json.getLongValue();
      case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
      default -> json.getText();
    };
  }

  private static <T> T found(JsonParser json, Map<String, T> values, String field)
      throws IOException {
    T value = values.get(field);
    if (value == null) {
      throw new IOException("a result or metric without " + field + " at " + place(json));
    }
    return value;
  }

  private static void expect(JsonParser json, JsonToken found, JsonToken wanted)
      throws IOException {
    if (found != wanted) {
      throw new IOException("expected " + wanted + " at " + place(json));
    }
  }

  private static String place(JsonParser json) {
    JsonLocation at = json.currentLocation();
    return "line " + at.getLineNr() + ", column " + at.getColumnNr();
  }
}
