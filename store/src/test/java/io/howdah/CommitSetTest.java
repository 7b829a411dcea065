package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.txn.stm.TestAttempts;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class CommitSetTest {

  private final TestAttempts attempts = new TestAttempts();
  private final CommitSet set = new CommitSet(3);

  @Test
  void ofEachPartitionTheNewestRecordStandsForAll() {
    set.add(attempts.committed(7, 1, 640, 0));
    set.add(attempts.committed(5, 1, 320, 0));
    set.add(attempts.committed(6, 2, 64, 0));
    assertThat(newestOf(1).end()).isEqualTo(640);
    assertThat(newestOf(2).end()).isEqualTo(64);
    assertThat(set.newestOf(0)).isNull();
    assertThat(set.newestLsn()).isEqualTo(7);
  }

  @Test
  void theNewestDependencyIsWaitedForWhicheverCommitHasIt() {
    set.add(attempts.committed(7, 1, 320, 6));
    set.add(attempts.committed(8, 1, 640, 0));
    set.add(attempts.committed(9, 2, 64, 3));
    assertThat(newestOf(1).dependency()).isEqualTo(6);
    assertThat(newestOf(2).dependency()).isEqualTo(6);
  }

  @Test
  void aTransactionThatOnlyReadCountsByItsLsn() {
    set.add(attempts.read(4));
    set.add(attempts.read(2));
    assertThat(set.newestRead()).isEqualTo(4);
    assertThat(set.newestLsn()).isEqualTo(4);
    assertThat(set.newestOf(0)).isNull();
  }

  @Test
  void whatIsDurableIsForgotten() {
    set.add(attempts.committed(7, 1, 640, 5));
    set.add(attempts.read(4));
    set.forget();
    assertThat(set.newestOf(1)).isNull();
    assertThat(set.newestRead()).isZero();
  }

  private CommitPoint newestOf(int partition) {
    return Objects.requireNonNull(set.newestOf(partition), "a commit in the partition");
  }
}
