package io.howdah.nvmsim.study.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** One page with the printed results of each paper, its figures, and the discrepancies. */
public final class HtmlReport {
  private final Path folder;
  private final StringBuilder body = new StringBuilder();

  /** For a folder in which each section's figures lie in a folder of its name. */
  public HtmlReport(Path folder) {
    this.folder = folder;
  }

  /** Adds what a command printed, and the figures it wrote. */
  public void section(String name, String text) throws IOException {
    body.append("<h2>").append(escape(name)).append("</h2>\n");
    Path figures = folder.resolve(name);
    if (Files.isDirectory(figures)) {
      try (Stream<Path> files = Files.list(figures)) {
        for (Path file : files.sorted().toList()) {
          String at = name + "/" + file.getFileName();
          if (at.endsWith(".svg")) {
            body.append("<img src=\"").append(escape(at)).append("\" alt=\"").append(escape(at));
            body.append("\">\n");
          }
        }
      }
    }
    body.append("<pre>").append(escape(text)).append("</pre>\n");
  }

  /** Writes {@code report.html} and returns where. */
  public Path write() throws IOException {
    StringBuilder html = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head>");
    html.append("<meta charset=\"utf-8\"><title>Howdah: simulated papers</title>\n<style>");
    html.append("body{font:15px/1.45 sans-serif;max-width:1060px;margin:2em auto;padding:0 1em}");
    html.append("img{max-width:100%;border:1px solid #ddd;margin:.4em 0}");
    html.append("pre{overflow-x:auto;background:#f6f6f6;padding:1em;font-size:12px}");
    html.append("td,th{border:1px solid #ccc;padding:.4em;text-align:left;vertical-align:top}");
    html.append("table{border-collapse:collapse}</style></head><body>\n");
    html.append("<h1>Three papers on non-volatile memory, reproduced</h1>\n").append(body);
    html.append("<h2>Where a paper disagrees with itself or with the model</h2>\n<table>\n");
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
