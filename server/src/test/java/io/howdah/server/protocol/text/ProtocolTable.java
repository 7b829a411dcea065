package io.howdah.server.protocol.text;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Conversations from a file. A line {@code # name} starts one, {@code > } sends the rest of the
 * line and a line end, {@code >> } the rest alone, {@code < } expects a line, {@code !} expects the
 * session to end. <code>{n*c}</code> is n times c, {@code \n} a bare line feed, {@code \0} a zero
 * byte. {@code <cas>} in what is expected is a number, and in what is sent the last such number.
 */
record ProtocolTable(String name, List<Step> steps) {

  private static final Pattern REPEAT = Pattern.compile("\\{(\\d+)\\*(.)}");

  /** What is sent, and then what is expected. */
  record Step(String sent, String expected, boolean ends) {}

  static List<ProtocolTable> read(String file) throws IOException {
    try (InputStream stream = ProtocolTable.class.getResourceAsStream(file)) {
      return read(new String(stream.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
    }
  }

  private static List<ProtocolTable> read(List<String> lines) {
    List<ProtocolTable> tables = new ArrayList<>();
    String name = "";
    List<Step> steps = new ArrayList<>();
    StringBuilder sent = new StringBuilder();
    StringBuilder expected = new StringBuilder();
    boolean ends = false;
    for (String line : (String.join("\n", lines) + "\n# end").lines().toList()) {
      boolean isSent = line.startsWith(">");
      if ((isSent || line.startsWith("#")) && (expected.length() > 0 || ends)) {
        steps.add(new Step(sent.toString(), expected.toString(), ends));
        sent.setLength(0);
        expected.setLength(0);
        ends = false;
      }
      if (line.startsWith("#")) {
        if (sent.length() > 0) {
          steps.add(new Step(sent.toString(), "", false));
          sent.setLength(0);
        }
        if (!steps.isEmpty()) {
          tables.add(new ProtocolTable(name, List.copyOf(steps)));
        }
        steps.clear();
        name = line.substring(1).strip();
      } else if (line.startsWith(">> ")) {
        sent.append(unescape(line.substring(3)));
      } else if (isSent) {
        sent.append(unescape(line.substring(Math.min(2, line.length())))).append("\r\n");
      } else if (line.startsWith("<")) {
        expected.append(unescape(line.substring(Math.min(2, line.length())))).append("\r\n");
      } else if (line.equals("!")) {
        ends = true;
      } else if (!line.isBlank()) {
        throw new IllegalArgumentException("not a line of a table: " + line);
      }
    }
    return tables;
  }

  private static String unescape(String text) {
    String repeated =
        REPEAT
            .matcher(text)
            .replaceAll(
                found ->
                    Matcher.quoteReplacement(
                        found.group(2).repeat(Integer.parseInt(found.group(1)))));
    return repeated.replace("\\n", "\n").replace("\\0", "\0");
  }

  boolean usesCas() {
    return steps.stream().anyMatch(step -> step.expected.contains("<cas>"));
  }

  String allSent() {
    StringBuilder all = new StringBuilder();
    steps.forEach(step -> all.append(step.sent));
    return all.toString();
  }

  String allExpected() {
    StringBuilder all = new StringBuilder();
    steps.forEach(step -> all.append(step.expected));
    return all.toString();
  }

  @Override
  public String toString() {
    return name;
  }
}
