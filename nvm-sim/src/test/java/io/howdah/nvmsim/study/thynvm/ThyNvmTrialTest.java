package io.howdah.nvmsim.study.thynvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.howdah.nvmsim.trace.TextTraceImporter;
import io.howdah.nvmsim.trace.TextTraceNames;
import io.howdah.nvmsim.trace.TraceSource;
import io.howdah.nvmsim.workload.AccessTrace;
import io.howdah.nvmsim.workload.RecordedTransactions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ThyNvmTrialTest {
  /** Ten transactions of one store each. */
  private static AccessTrace shortRun() throws IOException {
    StringBuilder text = new StringBuilder();
    text.append("1\tfc\tatomic_trace::special_malloc\t0\t4096\t0\t0\n");
    text.append("1\tfr\tatomic_trace::special_malloc\t0\t4096\n");
    for (int i = 0; i < 10; i++) {
      text.append("1\tm\tw\t").append(4096 + 64 * i).append("\t8\n");
      text.append("1\tfc\thowdah::persist_barrier\t0\t0\t0\t0\n");
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.US_ASCII);
    try (TraceSource source =
        new TextTraceImporter(new ByteArrayInputStream(bytes), "test", TextTraceNames.DEFAULT)) {
      return RecordedTransactions.read(source, 1);
    }
  }

  private static String report(double epochMs, int maxAccesses) throws IOException {
    ThyNvmPlan plan = new ThyNvmPlan(List.of(Mode.PAPER), 2048, 4096, epochMs, 1, 1, true);
    ThyNvmTrial trial = new ThyNvmTrial(plan, maxAccesses);
    trial.run("short", shortRun());
    return String.join("\n", trial.outcome().lines());
  }

  @Test
  void aShortRunIsRepeatedUntilItHasLastedFiveEpochs() throws IOException {
    assertThat(report(0.1, 1_000_000))
        .doesNotContain("warning")
        .containsPattern("ThyNVM .* epochs +[5-9]");
  }

  @Test
  void aRunThatStaysShortIsReported() throws IOException {
    assertThat(report(10, 1000)).contains("warning: the run is short. Repeated");
  }

  @Test
  void scalesBeyondThePhysicalAddressSpaceAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ThyNvmPlan(List.of(Mode.PAPER), 2048, 4096, 10, 5, 1, true))
        .withMessageContaining("scale must be 1 to 4: 5");
  }
}
