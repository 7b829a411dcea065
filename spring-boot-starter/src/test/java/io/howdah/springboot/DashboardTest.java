package io.howdah.springboot;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.micrometer.StoreMetrics;
import io.howdah.micrometer.StoreTimers;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The dashboard and the alerts ask for meters that a store has, and are formed as their tools read.
 */
final class DashboardTest {

  private static final Path FILES = Path.of("../docs/observability");
  private static final Pattern METER = Pattern.compile("\\bhowdah_\\w+");
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(howdah_\\w+)(?:\\{([^}]*)})? ");
  private static final Set<String> UNITS = Set.of("none", "s", "bytes", "ops", "percentunit");

  @TempDir private Path folder;

  /** Returns what Prometheus is told of a store. */
  private String scraped() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    StoreTimers timers = new StoreTimers(Tags.of("store", "shop"));
    timers.bindTo(registry);
    StoreOptions options = StoreOptions.defaults().withMaxSize(16 << 20).withTimings(timers);
    try (Store store = Store.open(folder.resolve("store"), options)) {
      new StoreMetrics(store, Tags.of("store", "shop")).bindTo(registry);
      store.run(tx -> tx.root(0, tx.allocate(8)));
      return registry.scrape();
    }
  }

  private Set<String> meters() {
    return SAMPLE
        .matcher(scraped())
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> asked(String text) {
    return METER
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void theDashboardAsksForMetersThatThereAre() throws IOException {
    Set<String> asked = asked(Files.readString(FILES.resolve("howdah-dashboard.json")));
    assertThat(asked).hasSizeGreaterThan(20);
    assertThat(meters()).containsAll(asked);
  }

  @Test
  void theAlertsAskForMetersThatThereAre() throws IOException {
    Set<String> asked = asked(Files.readString(FILES.resolve("howdah-alerts.yml")));
    assertThat(asked).hasSizeGreaterThan(10);
    assertThat(meters()).containsAll(asked);
  }

  /** Labels by which queries group and filter are those of the samples. */
  @Test
  void queriesUseLabelsThatThereAre() throws IOException {
    Set<String> labels = new TreeSet<>(Set.of("mode", "type", "cause", "store"));
    String scraped = scraped();
    assertThat(labels).allSatisfy(label -> assertThat(scraped).contains(label + "=\""));
    Set<String> used = new TreeSet<>();
    for (String file : List.of("howdah-dashboard.json", "howdah-alerts.yml")) {
      Pattern.compile("by \\(([\\w, ]+)\\)")
          .matcher(Files.readString(FILES.resolve(file)))
          .results()
          .forEach(found -> used.addAll(List.of(found.group(1).split(", ", -1))));
    }
    assertThat(used).isNotEmpty().isSubsetOf(labels);
    for (String cause : List.of("locked", "extension", "validation")) {
      assertThat(scraped).contains("cause=\"" + cause + "\"");
    }
  }

  /** What Grafana needs of a dashboard; there is no schema of it to be had. */
  @Test
  void theDashboardIsFormedAsGrafanaReadsIt() throws IOException {
    JsonNode dashboard =
        JsonMapper.shared().readTree(Files.readString(FILES.resolve("howdah-dashboard.json")));
    assertThat(dashboard.get("title").asString()).isEqualTo("Howdah");
    assertThat(dashboard.get("uid").asString()).isNotBlank();
    assertThat(dashboard.get("schemaVersion").asInt()).isPositive();
    Set<String> variables = new HashSet<>();
    dashboard
        .get("templating")
        .get("list")
        .forEach(each -> variables.add(each.get("name").asString()));
    assertThat(variables).containsExactlyInAnyOrder("datasource", "store");
    Set<Integer> ids = new HashSet<>();
    Set<String> cells = new HashSet<>();
    for (JsonNode panel : dashboard.get("panels")) {
      String title = panel.get("title").asString();
      assertThat(ids.add(panel.get("id").asInt())).as(title).isTrue();
      JsonNode place = panel.get("gridPos");
      assertThat(place.get("x").asInt() + place.get("w").asInt()).as(title).isBetween(1, 24);
      for (int x = 0; x < place.get("w").asInt(); x++) {
        for (int y = 0; y < place.get("h").asInt(); y++) {
          String cell = (place.get("x").asInt() + x) + "," + (place.get("y").asInt() + y);
          assertThat(cells.add(cell)).as("%s overlaps at %s", title, cell).isTrue();
        }
      }
      if (!panel.get("type").asString().equals("row")) {
        assertThat(panel.get("datasource").get("uid").asString()).isEqualTo("${datasource}");
        assertThat(UNITS).contains(panel.get("fieldConfig").get("defaults").get("unit").asString());
        assertThat(panel.get("targets").isEmpty()).as(title).isFalse();
        for (JsonNode target : panel.get("targets")) {
          assertThat(target.get("refId").asString()).matches("[A-Z]");
          requireBalanced(target.get("expr").asString());
        }
      }
    }
    assertThat(ids).hasSizeGreaterThan(15);
  }

  /** What Prometheus needs of rules. */
  @Test
  @SuppressWarnings("unchecked") // assertions say what it is
  void theAlertsAreFormedAsPrometheusReadsThem() throws IOException {
    Map<String, Object> file =
        new Yaml().load(Files.readString(FILES.resolve("howdah-alerts.yml")));
    List<Map<String, Object>> groups = (List<Map<String, Object>>) file.get("groups");
    assertThat(groups).hasSize(1);
    Set<Object> names = new HashSet<>();
    for (Map<String, Object> rule :
        (List<Map<String, Object>>) requireNonNull(groups.getFirst().get("rules"))) {
      assertThat(rule.keySet())
          .containsExactlyInAnyOrder("alert", "expr", "for", "labels", "annotations");
      assertThat(names.add(rule.get("alert"))).isTrue();
      assertThat(String.valueOf(rule.get("for"))).matches("\\d+[smh]");
      assertThat(((Map<String, String>) requireNonNull(rule.get("labels"))).get("severity"))
          .isIn("critical", "warning");
      assertThat((Map<String, String>) rule.get("annotations"))
          .containsOnlyKeys("summary", "description");
      requireBalanced(String.valueOf(rule.get("expr")));
    }
    assertThat(names).hasSizeGreaterThan(7);
  }

  private static void requireBalanced(String expression) {
    for (String pair : List.of("()", "{}", "[]")) {
      assertThat(expression.chars().filter(c -> c == pair.charAt(0)).count())
          .as(expression)
          .isEqualTo(expression.chars().filter(c -> c == pair.charAt(1)).count());
    }
  }
}
