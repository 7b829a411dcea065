package io.howdah.crashtest.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Short histories, and histories that are wrong; {@code howdah test histories} runs long ones. */
class HistoriesTest {

  @Test
  void everyPlantedViolationIsNoticed() throws IOException, InterruptedException {
    assertThat(Histories.unnoticed(1, null)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"2, false", "4, true", "8, false"})
  void transactionsAreOpaqueAndCollectionsLinearizable(int threads, boolean virtual)
      throws IOException, InterruptedException {
    Histories histories = new Histories(1, null);
    assertThat(histories.round(threads, new Threads(threads, virtual))).isNull();
    assertThat(histories.transactions()).isGreaterThanOrEqualTo(400L * threads);
    assertThat(histories.operations()).isPositive();
  }
}
