package io.howdah.nvmsim.study.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One page with the printed results of each paper, its figures, and the discrepancies. */
public final class HtmlReport {
  private static final String STYLE =
      "body{font:15px/1.45 sans-serif;max-width:1200px;margin:2em auto;padding:0"
          + " 1em}h2{margin-top:2em;border-bottom:2px solid"
          + " #2471a3}figure{display:inline-block;width:49%;min-width:460px;margin:.2em"
          + " 0;vertical-align:top}img{max-width:100%;border:1px solid"
          + " #ddd}summary{cursor:pointer;margin:.4em 0;color:#2471a3}"
          + "pre{white-space:pre-wrap;background:#f6f6f6;padding:1em;font-size:12px}td,th{border:1px"
          + " solid #ccc;padding:.4em;text-align:left;vertical-align:top}"
          + "table{border-collapse:collapse}";

  private static final String SVG = ".svg";

  /** Figures that share what follows the last hyphen, such as a mode, are shown behind a title. */
  private static final int MIN_SERIES = 3;

  private static final Pattern DIGITS = Pattern.compile("\\d+");

  private final Path folder;
  private final StringBuilder contents = new StringBuilder();
  private final StringBuilder body = new StringBuilder();

  /** For a folder in which each section's figures lie in a folder of its name. */
  public HtmlReport(Path folder) {
    this.folder = folder;
  }

  /**
   * Adds what a command printed, and the figures it wrote.
   *
   * @param name of the section's folder
   * @param title above it
   * @param note a line below the title
   * @param text as the command printed it
   */
  public void section(String name, String title, String note, String text) throws IOException {
    String heading = escape(title);
    link(name, heading);
    body.append("<h2 id=\"").append(escape(name)).append("\">").append(heading);
    body.append("</h2>\n<p>").append(escape(note)).append("</p>\n");
    List<String> figures = figures(folder.resolve(name));
    Map<String, Long> series =
        figures.stream().collect(Collectors.groupingBy(HtmlReport::suffix, Collectors.counting()));
    Map<String, List<String>> variants = new TreeMap<>();
    for (String figure : figures) {
      String suffix = suffix(figure);
      if (!suffix.isEmpty() && series.getOrDefault(suffix, 0L) >= MIN_SERIES) {
        variants.computeIfAbsent(suffix, key -> new ArrayList<>()).add(figure);
      } else {
        figure(name, figure);
      }
    }
    variants.forEach(
        (suffix, files) -> {
          body.append("<details><summary>The same figures: ").append(escape(suffix));
          body.append("</summary>\n");
          files.forEach(file -> figure(name, file));
          body.append("</details>\n");
        });
    body.append("<details open><summary>Values and demands, as printed</summary>\n<pre>");
    body.append(escape(text)).append("</pre></details>\n");
  }

  private void link(String anchor, String heading) {
    contents.append("<li><a href=\"#").append(escape(anchor)).append("\">");
    contents.append(heading).append("</a></li>\n");
  }

  /** The pictures, with figure 7 before figure 12. */
  private static List<String> figures(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      Map<String, String> ordered = new TreeMap<>();
      files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(file -> file.endsWith(SVG))
          .forEach(file -> ordered.put(sortKey(file), file));
      return List.copyOf(ordered.values());
    }
  }

  private static String sortKey(String file) {
    return DIGITS
        .matcher(file.substring(0, file.length() - SVG.length()))
        .replaceAll(
            number -> "0".repeat(Math.max(0, 9 - number.group().length())) + number.group());
  }

  private static String suffix(String file) {
    int hyphen = file.lastIndexOf('-');
    return hyphen < 0 ? "" : file.substring(hyphen + 1, file.length() - SVG.length());
  }

  private void figure(String section, String file) {
    String name = escape(file.substring(0, file.length() - SVG.length()));
    body.append("<figure><img src=\"").append(escape(section)).append('/').append(escape(file));
    body.append("\" alt=\"").append(name).append("\"></figure>\n");
  }

  /** Writes {@code report.html} and returns where. */
  public Path write() throws IOException {
    link("discrepancies", "Where a paper disagrees with itself or with the model");
    StringBuilder html = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head>");
    html.append("<meta charset=\"utf-8\"><title>Howdah: simulated papers</title>\n<style>");
    html.append(STYLE).append("</style></head><body>\n");
    html.append("<h1>Three papers on non-volatile memory, reproduced</h1>\n");
    html.append("<p>Rings in the figures are what the papers publish.</p>\n<ul>\n");
    html.append(contents).append("</ul>\n").append(body);
    html.append("<h2 id=\"discrepancies\">");
    html.append("Where a paper disagrees with itself or with the model</h2>\n<table>\n");
    html.append("<tr><th>where</th><th>paper</th><th>model</th><th>verdict</th></tr>\n");
    rows(html, "Memory Persistency", Discrepancy.memoryPersistency());
    rows(html, "Loose-Ordering Consistency", Discrepancy.looseOrdering());
    rows(html, "ThyNVM", Discrepancy.thynvm());
    html.append("</table>\n</body></html>\n");
    return Files.writeString(folder.resolve("report.html"), html);
  }

  private static void rows(StringBuilder html, String paper, List<Discrepancy> discrepancies) {
    html.append("<tr><th colspan=\"4\">").append(escape(paper)).append("</th></tr>\n");
    for (Discrepancy one : discrepancies) {
      html.append("<tr>");
      for (String cell : List.of(one.where(), one.published(), one.model(), one.verdict())) {
        html.append("<td>").append(escape(cell)).append("</td>");
      }
      html.append("</tr>\n");
    }
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
