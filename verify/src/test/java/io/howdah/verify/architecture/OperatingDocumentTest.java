package io.howdah.verify.architecture;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreFigure;
import io.howdah.StoreOptions;
import io.howdah.cli.store.StatCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The tables of docs/operating.md are complete, and their defaults and ranges are the code's. */
final class OperatingDocumentTest {

  private static final Path DOCUMENT = Path.of("../docs/operating.md");
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");

  /** A number with its unit, as the document writes both. */
  private static final Pattern QUANTITY =
      Pattern.compile(
          "([0-9][0-9,]*)(?:<sup>([0-9]+)</sup>)?(?: (KiB|MiB|GiB|µs|ms|s|hour|day)\\b)?");

  private static final Map<String, Long> BYTES =
      Map.of("KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30);
  private static final Map<String, Duration> TIMES =
      Map.of(
          "µs", Duration.ofNanos(1000),
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "hour", Duration.ofHours(1),
          "day", Duration.ofDays(1));

  @TempDir private Path folder;

  /** Returns the cells of the table below a heading; the cells of its head are left out. */
  private static List<String[]> rows(String heading) throws IOException {
    String text = Files.readString(DOCUMENT);
    String section = text.substring(text.indexOf("\n## " + heading + "\n") + 1);
    return section
        .lines()
        .skip(1)
        .takeWhile(line -> !line.startsWith("## "))
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.substring(2, line.length() - 2).split(" \\| ", -1))
        .toList();
  }

  private static Map<String, Method> options() {
    return Arrays.stream(StoreOptions.class.getMethods())
        .filter(method -> method.getName().startsWith("with"))
        .collect(
            Collectors.toMap(
                method ->
                    method.getName().substring(4, 5).toLowerCase(Locale.ROOT)
                        + method.getName().substring(5),
                method -> method));
  }

  @Test
  void eachOptionHasOneRow() throws IOException {
    Set<String> expected = new TreeSet<>(options().keySet());
    assertThat(rows("Options").stream().map(row -> row[0].replace("`", "")))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  /** A value at each end of a range is taken, and one beyond it is refused. */
  @TestFactory
  List<DynamicTest> rangesAreThoseOfTheCode() throws IOException {
    List<DynamicTest> tests =
        rows("Options").stream()
            .filter(row -> row[3].matches("(a power of two, )?[0-9].*"))
            .map(row -> DynamicTest.dynamicTest(row[0], () -> checkRange(row)))
            .toList();
    assertThat(tests).hasSizeGreaterThan(10);
    return tests;
  }

  private static void checkRange(String[] row) throws ReflectiveOperationException {
    Method option = requireNonNull(options().get(row[0].replace("`", "")), row[0]);
    boolean isTime = option.getParameterTypes()[0] == Duration.class;
    boolean isPower = row[3].startsWith("a power of two");
    String[] ends = row[3].split(" to ", 2);
    Comparable<?> min = quantity(ends[0], isTime);
    set(option, min);
    refuses(option, beyond(min, -1, isPower));
    if (ends.length == 2) {
      Comparable<?> max = quantity(ends[1], isTime);
      set(option, max);
      refuses(option, beyond(max, 1, isPower));
    }
  }

  private static Comparable<?> quantity(String text, boolean isTime) {
    Matcher found = QUANTITY.matcher(text);
    assertThat(found.find()).as(text).isTrue();
    MatchResult match = found.toMatchResult();
    long number = Long.parseLong(match.group(1).replace(",", ""));
    if (match.group(2) != null) {
      number = 1L << Integer.parseInt(match.group(2));
    }
    String unit = String.valueOf(match.group(3));
    if (isTime) {
      return number == 0
          ? Duration.ZERO
          : requireNonNull(TIMES.get(unit), text).multipliedBy(number);
    }
    return number * BYTES.getOrDefault(unit, 1L);
  }

  private static Comparable<?> beyond(Comparable<?> end, int way, boolean isPower) {
    if (end instanceof Duration time) {
      return time.plusNanos(way);
    }
    long number = (Long) end;
    return isPower ? (way < 0 ? number / 2 : number * 2) : number + way;
  }

  private static Object set(Method option, Comparable<?> value)
      throws ReflectiveOperationException {
    Object argument =
        option.getParameterTypes()[0] == int.class && value instanceof Long number
            ? (Object) Math.toIntExact(number)
            : value;
    return option.invoke(StoreOptions.defaults(), argument);
  }

  private static void refuses(Method option, Comparable<?> value) {
    assertThatThrownBy(() -> set(option, value))
        .as("%s(%s)", option.getName(), value)
        .isInstanceOf(InvocationTargetException.class)
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @TestFactory
  List<DynamicTest> defaultsAreThoseOfTheCode() throws IOException {
    Predicate<String[]> isValue =
        row -> row[2].matches("(yes|no|`\\w+\\.[A-Z]+`|[0-9,]+( \\w+)?|2<sup>[0-9]+</sup>)");
    List<DynamicTest> tests =
        rows("Options").stream()
            .filter(isValue)
            .map(row -> DynamicTest.dynamicTest(row[0], () -> checkDefault(row)))
            .toList();
    assertThat(tests).hasSizeGreaterThan(14);
    return tests;
  }

  private static void checkDefault(String[] row) throws ReflectiveOperationException {
    Object found =
        StoreOptions.class.getMethod(row[0].replace("`", "")).invoke(StoreOptions.defaults());
    switch (requireNonNull(found)) {
      case Boolean flag -> assertThat(row[2]).isEqualTo(flag ? "yes" : "no");
      case Enum<?> constant -> assertThat(row[2]).endsWith("." + constant.name() + "`");
      case Duration time -> assertThat(time).isEqualTo(quantity(row[2], true));
      case Number number -> assertThat(number.longValue()).isEqualTo(quantity(row[2], false));
      default -> assertThat(found).as(row[0]).isNull();
    }
  }

  @Test
  void eachLineOfStatHasOneRow() throws IOException {
    Path directory = folder.resolve("shop");
    StoreOptions options = StoreOptions.defaults().withMaxSize(16 << 20).withAdminSocket(true);
    Map<String, String> lines = new LinkedHashMap<>();
    try (Store _ = Store.open(directory, options)) {
      stat(directory).forEach(name -> lines.put(name, "open"));
    }
    stat(directory).forEach(name -> lines.merge(name, "not open", (one, other) -> "both"));
    Map<String, String> documented = new LinkedHashMap<>();
    StoreFigure.all().forEach(figure -> documented.put(figure.name(), "open"));
    for (String[] row : rows("What `howdah stat` prints")) {
      NAME.matcher(row[0]).results().forEach(name -> documented.put(name.group(1), row[1]));
    }
    assertThat(documented).containsExactlyInAnyOrderEntriesOf(lines);
  }

  /** The document has the table as this test writes it; the message of a failure has all of it. */
  @Test
  void theFiguresAreThoseOfTheCode() throws IOException {
    StringBuilder table = new StringBuilder("| Figure | Kind | Unit | Meter | Meaning |\n");
    table.append("|---|---|---|---|---|\n");
    for (StoreFigure figure : StoreFigure.all()) {
      table
          .append("| `%s` | ".formatted(figure.name()))
          .append(figure.kind().name().toLowerCase(Locale.ROOT))
          .append(" | ")
          .append(unit(figure.unit()))
          .append(" | ")
          .append(figure.meter().map(OperatingDocumentTest::meter).orElse(""))
          .append(" | %s |\n".formatted(figure.help()));
    }
    assertThat(Files.readString(DOCUMENT)).contains(table);
  }

  private static String unit(StoreFigure.Unit unit) {
    return switch (unit) {
      case NONE -> "";
      case BYTES -> "bytes";
      case MILLISECONDS -> "ms";
    };
  }

  private static String meter(StoreFigure.Meter meter) {
    String tag = meter.key().isEmpty() ? "" : ", " + meter.key() + " " + meter.value();
    return "`" + meter.name() + "`" + tag;
  }

  private static List<String> stat(Path directory) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        new CommandLine(new StatCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(directory.toString());
    assertThat(code).as("%s", err).isZero();
    return out.toString().lines().map(line -> line.split(" ", -1)[0]).toList();
  }
}
