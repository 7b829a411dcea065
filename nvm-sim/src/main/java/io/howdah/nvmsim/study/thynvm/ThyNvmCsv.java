package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.study.StudyValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Writes all values of a study, one a line. */
final class ThyNvmCsv {
  private ThyNvmCsv() {}

  static Path write(ThyNvmResult result, Path folder) throws IOException {
    StringBuilder csv = new StringBuilder("metric,unit,value,paper,params\n");
    for (StudyValue figure : result.figures()) {
      csv.append(figure.name()).append(',').append(figure.unit());
      csv.append(String.format(Locale.ROOT, ",%.6g,", figure.value()));
      if (figure.isPublished()) {
        csv.append(String.format(Locale.ROOT, "%.6g", figure.published()));
      }
      csv.append(',');
      String separator = "";
      for (var param : figure.params().entrySet()) {
        csv.append(separator).append(param.getKey()).append('=').append(param.getValue());
        separator = ";";
      }
      csv.append('\n');
    }
    return Files.writeString(folder.resolve("thynvm.csv"), csv);
  }
}
