package io.howdah.cli.store;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.cli.terminal.PrintableText;
import io.howdah.codec.SchemaReport;
import io.howdah.codec.SchemaReport.Finding;
import io.howdah.codec.SchemaReport.Verdict;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah check-schema}. */
@Command(
    name = "check-schema",
    mixinStandardHelpOptions = true,
    description =
        "Says what the classes of a release would make of the records, enums and sealed interfaces"
            + " that a store or a backup has: the rehearsal of a change. Changes nothing; no process"
            + " may have the store open for writing. Enums of the class path are initialised, so"
            + " their code runs. Ends with 0 if the release needs no change, with 1 if it adds to a type,"
            + " is older than one, or cannot open one.%n")
public final class CheckSchemaCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  @Option(
      names = "--class-path",
      paramLabel = "PATH",
      required = true,
      description =
          "Jars and folders with the classes of the release and of what they need, separated as in"
              + " a class path.")
  private String classPath;

  /** Creates it, for the command line. */
  public CheckSchemaCommand() {}

  @Override
  public Integer call() throws IOException {
    List<Path> places = new ArrayList<>();
    for (String each : classPath.split(File.pathSeparator, -1)) {
      Path place = Path.of(each);
      if (each.isEmpty() || !Files.exists(place)) {
        throw usage("the class path names \"" + PrintableText.of(each) + "\", which is not there");
      }
      places.add(place);
    }
    SchemaReport report;
    try (ClassPathTypes types = new ClassPathTypes(places);
        Store opened = Store.open(existing(store), StoreOptions.defaults().withReadOnly(true))) {
      report = opened.admin().checkSchema(types.types());
    }
    int _ = report(lines(report), result(report));
    boolean isFree =
        report.isWithout(Verdict.CHANGES)
            && report.isWithout(Verdict.LIMITED)
            && report.isWithout(Verdict.REFUSED);
    return isFree ? 0 : 1;
  }

  private static List<String> lines(SchemaReport report) {
    List<String> lines = new ArrayList<>();
    for (Finding finding : report.findings()) {
      String type = PrintableText.of(finding.type());
      String detail = PrintableText.of(finding.detail());
      lines.add(
          switch (finding.verdict()) {
            case ABSENT -> type + ": no class of the class path has this name";
            case SAME -> type + ": stays as it is";
            case CHANGES ->
                type
                    + ": CHANGES from \""
                    + PrintableText.of(finding.stored())
                    + "\" to \""
                    + detail
                    + '"';
            case LIMITED -> type + ": LIMITED: the program is older than the store: it " + detail;
            case REFUSED -> type + ": REFUSED: " + detail;
          });
    }
    if (lines.isEmpty()) {
      lines.add("the store has no records, enums and sealed interfaces");
    }
    return lines;
  }

  private static Map<String, Object> result(SchemaReport report) {
    Map<String, Object> result = new LinkedHashMap<>();
    List<Map<String, Object>> types = new ArrayList<>();
    for (Finding finding : report.findings()) {
      Map<String, Object> type = new LinkedHashMap<>();
      type.put("type", finding.type());
      type.put("verdict", finding.verdict().name().toLowerCase(Locale.ROOT));
      type.put("stored", finding.stored());
      type.put("detail", finding.detail());
      types.add(type);
    }
    result.put("types", types);
    return result;
  }
}
