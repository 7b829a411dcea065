package io.howdah.lab.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsFile;
import io.howdah.cli.json.MetricsRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MetricsReaderTest {

  @TempDir Path folder;

  @Test
  void whatAnotherRunWroteIsTakenOver() throws IOException {
    Path file = folder.resolve("child.json");
    MetricsRun child = MetricsRun.start("bench w6").param("heapMiB", 64);
    Metric first =
        new Metric(
            "w6.async.overVolatile",
            0.93,
            "ratio",
            0.9,
            0.95,
            9,
            Map.of("threads", 2L, "nativeAccess", true, "path", "primitive", "share", 0.5));
    child.add(first);
    child.add(Metric.single("w6.aborts.perTxn", "ratio", 0, Map.of()));
    child.violation("a commit was lost");
    child.markNoisy("raw words");
    child.markNoisy("raw force");
    child.finish().writeTo(file);

    MetricsRun run = MetricsRun.start("bench w6");
    run.markNoisy("raw reads");
    run.add(Metric.single("own", "count", 1, Map.of()));
    MetricsReader.addTo(run, file);

    MetricsFile all = run.finish();
    assertThat(all.metrics()).hasSize(3).contains(first);
    assertThat(all.violations()).containsExactly("a commit was lost");
    assertThat(all.noisy()).isTrue();
    assertThat(all.params())
        .containsExactly(Map.entry("noisyBaselines", "raw reads, raw words, raw force"));
  }

  @Test
  void aQuietRunAddsNothingButItsFigures() throws IOException {
    Path file = folder.resolve("child.json");
    MetricsRun.start("bench w6").finish().writeTo(file);
    MetricsRun run = MetricsRun.start("bench w6");
    MetricsReader.addTo(run, file);
    assertThat(run.finish().noisy()).isFalse();
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void aFileThatIsReadIsTheOneThatWasWritten() throws IOException {
    Path file = folder.resolve("run.json");
    MetricsRun run = MetricsRun.start("bench w6").param("heapMiB", 64L).param("label", "x");
    run.add(Metric.single("w6.txnPerSec", "txn/s", 2.5, Map.of("threads", 8)));
    run.add(Metric.single("w6.txnPerSec", "txn/s", 3.5, Map.of("threads", 1, "mode", "sync")));
    run.violation("a commit was lost");
    MetricsFile written = run.finish();
    written.writeTo(file);

    MetricsFile read = MetricsReader.read(file);
    assertThat(read.command()).isEqualTo("bench w6");
    assertThat(read.params()).isEqualTo(written.params());
    assertThat(read.violations()).isEqualTo(written.violations());
    assertThat(read.origin())
        .isEqualTo(written.origin())
        .startsWith("Measured on " + written.started().toString().substring(0, 10));
    assertThat(read.find("w6.txnPerSec", Map.of())).hasSize(2);
    assertThat(read.find("w6.txnPerSec", Map.of("threads", 8))).hasSize(1);
    assertThat(read.find("w6.txnPerSec", Map.of("mode", "sync")).getFirst().value()).isEqualTo(3.5);
    assertThat(read.find("w6.txnPerSec", Map.of("mode", "async"))).isEmpty();
  }

  @Test
  void whatIsCutOffIsRefused() throws IOException {
    Path file = folder.resolve("child.json");
    Files.writeString(file, "{ \"metrics\" : [ { \"name\" : \"x\", \"value\" : 1 } ] }");
    assertThatThrownBy(() -> MetricsReader.addTo(MetricsRun.start("bench w6"), file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("metric without unit");
    Files.writeString(file, "[]");
    assertThatThrownBy(() -> MetricsReader.addTo(MetricsRun.start("bench w6"), file))
        .isInstanceOf(IOException.class);
    Files.writeString(file, "{ \"metrics\" : [ ");
    assertThatThrownBy(() -> MetricsReader.addTo(MetricsRun.start("bench w6"), file))
        .isInstanceOf(IOException.class);
  }
}
