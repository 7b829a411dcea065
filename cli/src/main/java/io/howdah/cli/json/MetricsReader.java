package io.howdah.cli.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Takes the figures of a command that ran in another JVM over into this one's. */
public final class MetricsReader {

  private MetricsReader() {}

  /**
   * Adds what {@link MetricsFile#writeTo(Path)} has written: its metrics and violations, that it
   * was noisy, and which baselines were.
   *
   * @throws IOException if the file cannot be read or is not of that form
   */
  public static void addTo(MetricsRun run, Path file) throws IOException {
    try (JsonParser json = new JsonFactory().createParser(file.toFile())) {
      expect(json, json.nextToken(), JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        JsonToken value = json.nextToken();
        switch (field) {
          case "noisy" -> {
            if (value == JsonToken.VALUE_TRUE) {
              run.markNoisy();
            }
          }
          case "params" -> {
            expect(json, value, JsonToken.START_OBJECT);
            addNoisyBaselines(run, json);
          }
          case "metrics" -> {
            expect(json, value, JsonToken.START_ARRAY);
            while (json.nextToken() == JsonToken.START_OBJECT) {
              run.add(metric(json));
            }
          }
          case "violations" -> {
            expect(json, value, JsonToken.START_ARRAY);
            while (json.nextToken() == JsonToken.VALUE_STRING) {
              run.violation(json.getText());
            }
          }
          default -> json.skipChildren();
        }
      }
    }
  }

  private static void addNoisyBaselines(MetricsRun run, JsonParser json) throws IOException {
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      boolean isWanted = json.currentName().equals(MetricsRun.NOISY_BASELINES);
      if (json.nextToken() == JsonToken.VALUE_STRING && isWanted) {
        for (String baseline : json.getText().split(MetricsRun.BETWEEN, -1)) {
          run.markNoisy(baseline);
        }
      } else {
        json.skipChildren();
      }
    }
  }

  private static Metric metric(JsonParser json) throws IOException {
    Map<String, Double> numbers = new TreeMap<>();
    Map<String, String> texts = new TreeMap<>();
    Map<String, Object> params = new TreeMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      if (value == JsonToken.START_OBJECT) {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          String param = json.currentName();
          params.put(param, value(json, json.nextToken()));
        }
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
      throw new IOException("a metric without " + field + " at " + json.currentLocation());
    }
    return value;
  }

  private static void expect(JsonParser json, JsonToken found, JsonToken wanted)
      throws IOException {
    if (found != wanted) {
      throw new IOException("expected " + wanted + " at " + json.currentLocation());
    }
  }
}
