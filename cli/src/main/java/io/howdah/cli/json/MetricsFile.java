package io.howdah.cli.json;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/**
 * What a measuring command reports.
 *
 * @param command the command's name, without its options
 * @param commit the sources' git commit, or "unknown"
 * @param jvm version and flags of the measuring JVM
 * @param os name, version and architecture
 * @param cores processors the JVM may use
 * @param started when the run began
 * @param seconds how long it took
 * @param noisy whether the raw baseline moved so much that the figures deserve doubt
 * @param params what the whole run was given; each value a number, a boolean or a string
 * @param metrics the figures
 * @param violations what broke a promise; empty, or the command's exit code is 1
 */
public record MetricsFile(
    String command,
    String commit,
    String jvm,
    String os,
    int cores,
    Instant started,
    double seconds,
    boolean noisy,
    Map<String, Object> params,
    List<Metric> metrics,
    List<String> violations) {

  private static final int SHORT_COMMIT = 8;

  /** Copies what could change later. */
  public MetricsFile {
    params = Metric.copyOf(params);
    metrics = List.copyOf(metrics);
    violations = List.copyOf(violations);
  }

  /**
   * Returns the figures of this name whose params have at least the given ones. Numbers are equal
   * whatever their types: a file that was read has only longs and doubles.
   */
  public List<Metric> find(String name, Map<String, Object> wanted) {
    return metrics.stream()
        .filter(metric -> metric.name().equals(name) && metric.has(wanted))
        .toList();
  }

  /** Returns where and when the figures were measured, in one line for a chart. */
  public String origin() {
    return "Measured on %s with %d processor%s on %s, commit %s"
        .formatted(
            started.atZone(ZoneOffset.UTC).toLocalDate(),
            cores,
            cores == 1 ? "" : "s",
            os,
            commit.substring(0, Math.min(SHORT_COMMIT, commit.length())));
  }

  /** Writes the object as JSON, replacing {@code file} only when all of it is written. */
  public void writeTo(Path file) throws IOException {
    JsonFile.replace(file, text());
  }

  /** Returns the object as JSON. */
  String text() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    writeTo(out);
    return out.toString(StandardCharsets.UTF_8);
  }

  private void writeTo(OutputStream out) throws IOException {
    try (JsonGenerator json = new JsonFactory().createGenerator(out, JsonEncoding.UTF8)) {
      json.setPrettyPrinter(
          new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n")));
      json.writeStartObject();
      json.writeStringField("command", command);
      json.writeStringField("commit", commit);
      json.writeStringField("jvm", jvm);
      json.writeStringField("os", os);
      json.writeNumberField("cores", cores);
      json.writeStringField("started", started.toString());
      json.writeNumberField("seconds", seconds);
      json.writeBooleanField("noisy", noisy);
      writeParams(json, params);
      json.writeArrayFieldStart("metrics");
      for (Metric metric : metrics) {
        writeMetric(json, metric);
      }
      json.writeEndArray();
      json.writeArrayFieldStart("violations");
      for (String violation : violations) {
        json.writeString(violation);
      }
      json.writeEndArray();
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }

  private static void writeMetric(JsonGenerator json, Metric metric) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", metric.name());
    json.writeNumberField("value", metric.value());
    json.writeStringField("unit", metric.unit());
    json.writeNumberField("min", metric.min());
    json.writeNumberField("max", metric.max());
    json.writeNumberField("samples", metric.samples());
    writeParams(json, metric.params());
    json.writeEndObject();
  }

  private static void writeParams(JsonGenerator json, Map<String, Object> params)
      throws IOException {
    json.writeObjectFieldStart("params");
    for (Map.Entry<String, Object> param : params.entrySet()) {
      json.writeFieldName(param.getKey());
      switch (param.getValue()) {
        case Boolean flag -> json.writeBoolean(flag);
        case Number number -> json.writeNumber(new BigDecimal(number.toString()));
        case Object text -> json.writeString(text.toString());
      }
    }
    json.writeEndObject();
  }
}
