package io.howdah.replica.command.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerTest {

  private final Ledger ledger = new Ledger(2);

  private void add(long value, long operation) {
    ledger.acknowledged(0, ledger.beginAdd(0), value, operation, "a");
  }

  private void requireComplaint(long lost, long stale, String text) {
    Ledger.Figures figures = ledger.figures();
    assertThat(figures.complaints()).hasSize(1).first().asString().contains(text);
    assertThat(figures.lost()).isEqualTo(lost);
    assertThat(figures.stale()).isEqualTo(stale);
  }

  @Test
  void whatCountersDoIsRight() {
    add(1, 11);
    add(2, 12);
    long least = ledger.beginAdd(0);
    ledger.unknown();
    ledger.read(0, least, 3, "b"); // with the unknown one
    ledger.readLocally(0, 0, 2, "c");
    ledger.compare(0, 3, 3, List.of(13L, 12L, 11L));
    ledger.compare(1, 0, 0, List.of());
    Ledger.Figures figures = ledger.figures();
    assertThat(figures.complaints()).isEmpty();
    assertThat(figures.acknowledged()).isEqualTo(2);
    assertThat(figures.unknown()).isEqualTo(1);
    assertThat(figures.newestReads() + figures.localReads()).isEqualTo(2);
  }

  @Test
  void theFirstAcknowledgementOfAnotherMemberCounts() {
    ledger.acknowledged(0, ledger.beginAdd(0), 1, 11, "b");
    ledger.awaitAcknowledgements();
    ledger.acknowledged(0, ledger.beginAdd(0), 2, 12, "a");
    assertThat(ledger.acknowledgedByOthers("a")).isNull();
    ledger.acknowledged(0, ledger.beginAdd(0), 3, 13, "b");
    Long first = ledger.acknowledgedByOthers("a");
    ledger.acknowledged(0, ledger.beginAdd(0), 4, 14, "b");
    assertThat(first).isNotNull();
    assertThat(ledger.acknowledgedByOthers("a")).isEqualTo(first);
  }

  @Test
  void aValueToldTwiceMeansThatTheFirstOneIsLost() {
    long least = ledger.beginAdd(0);
    add(1, 11);
    ledger.acknowledged(0, least, 1, 12, "b");
    requireComplaint(1, 0, "b acknowledges 1 to operation 12, which operation 11 was told before");
  }

  @Test
  void anAdditionThatGoesBackMeansThatOneIsLost() {
    ledger.beginAdd(0);
    ledger.unknown();
    add(2, 11);
    add(1, 12);
    requireComplaint(1, 0, "acknowledges 1 to an operation that began when 2 was acknowledged");
  }

  @Test
  void aValueWithoutAdditionsIsWrong() {
    add(2, 11);
    requireComplaint(1, 0, "a returns 2 after 1 additions");
  }

  @Test
  void anAdditionThatWasRefusedDoesNotCount() {
    ledger.beginAdd(0);
    ledger.refused(0);
    add(2, 11);
    requireComplaint(1, 0, "a returns 2 after 1 additions");
  }

  @Test
  void aNewestReadOfAnOldValueIsStale() {
    add(1, 11);
    ledger.read(0, ledger.beginRead(0), 0, "b");
    requireComplaint(0, 1, "a newest read of b, which began when 1 was acknowledged, returns 0");
  }

  @Test
  void aLocalReadDoesNotGoBack() {
    add(1, 11);
    ledger.readLocally(0, 1, 0, "c");
    requireComplaint(0, 1, "a local read of c returns 0 after 1");
  }

  @Test
  void aStateWithoutWhatWasAcknowledgedIsFound() {
    add(1, 11);
    ledger.compare(0, ledger.beginRead(0), 0, List.of());
    requireComplaint(1, 0, "0 is left of 1");
  }

  @Test
  void aStateWithAnotherOperationIsFound() {
    add(1, 11);
    ledger.compare(0, 1, 1, List.of(12L));
    requireComplaint(1, 0, "operation 11 was told that it made 1, which operation 12 has made");
  }
}
