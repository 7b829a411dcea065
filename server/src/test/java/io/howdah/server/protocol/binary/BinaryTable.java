package io.howdah.server.protocol.binary;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Conversations in the binary protocol, from a file. A line {@code # name} starts one, {@code > }
 * is a request and {@code < } a response as {@link BinaryMessages} has them, {@code !} expects the
 * connection to end.
 */
record BinaryTable(String name, List<Step> steps) {

  /** Requests that are sent at once, and the responses that are expected then. */
  record Step(List<String> sent, List<String> expected, boolean ends) {}

  static List<BinaryTable> read(String file) throws IOException {
    try (InputStream stream = BinaryTable.class.getResourceAsStream(file)) {
      return read(new String(stream.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
    }
  }

  private static List<BinaryTable> read(List<String> lines) {
    List<BinaryTable> tables = new ArrayList<>();
    String name = "";
    List<Step> steps = new ArrayList<>();
    List<String> sent = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    boolean ends = false;
    for (String line : (String.join("\n", lines) + "\n# end").lines().toList()) {
      boolean isNext = line.startsWith("#") || (line.startsWith(">") && !expected.isEmpty());
      if (isNext && !sent.isEmpty()) {
        steps.add(new Step(List.copyOf(sent), List.copyOf(expected), ends));
        sent.clear();
        expected.clear();
        ends = false;
      }
      if (line.startsWith("#")) {
        if (!steps.isEmpty()) {
          tables.add(new BinaryTable(name, List.copyOf(steps)));
        }
        steps.clear();
        name = line.substring(1).strip();
      } else if (line.startsWith("> ")) {
        sent.add(line.substring(2));
      } else if (line.startsWith("< ")) {
        expected.add(BinaryMessages.repeat(line.substring(2)).toLowerCase(Locale.ROOT));
      } else if (line.equals("!")) {
        ends = true;
      } else if (!line.isBlank()) {
        throw new IllegalArgumentException("not a line of a table: " + line);
      }
    }
    return tables;
  }

  boolean usesCas() {
    return steps.stream().anyMatch(step -> step.sent.toString().contains("cas=last"));
  }

  @Override
  public String toString() {
    return name;
  }
}
