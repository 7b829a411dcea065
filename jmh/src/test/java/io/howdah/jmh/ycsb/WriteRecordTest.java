package io.howdah.jmh.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class WriteRecordTest {

  private final WriteRecord record = new WriteRecord(3);

  @Test
  void anOlderVersionThanTheAcknowledgedOneIsLostOnce() {
    long old = record.next(1);
    record.acknowledged(1, old);
    long acknowledged = record.next(1);
    record.acknowledged(1, acknowledged);
    record.found(1, old);
    assertThat(record.takeLost()).isOne();
    assertThat(record.takeLost()).isZero();
    record.found(1, old); // what is there now is what a later restart is held to
    assertThat(record.takeLost()).isZero();
    record.found(1, 0);
    assertThat(record.takeLost()).isOne();
  }

  @Test
  void aMissingRecordIsLostOnce() {
    record.missed(2);
    assertThat(record.takeLost()).isOne();
    record.missed(2);
    assertThat(record.takeLost()).isZero();
    record.acknowledged(2, record.next(2)); // written again
    record.missed(2);
    assertThat(record.takeLost()).isOne();
  }

  @Test
  void whatWasSentAndNotAcknowledgedMayBeThereAndBinds() {
    long sent = record.next(0);
    record.found(0, sent);
    assertThat(record.takeLost() + record.takeInvented()).isZero();
    record.found(0, 0);
    assertThat(record.takeLost()).isOne();
    record.found(0, sent + 1);
    assertThat(record.takeInvented()).isOne();
  }
}
