package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.log.commit.CommitPoint;
import io.howdah.txn.Durability;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommitSetTest {

  private final CommitSet set = new CommitSet(3);

  @Test
  void ofEachPartitionTheNewestRecordStandsForAll() {
    set.add(CommitPoint.of(7, 1, 640, 0));
    set.add(CommitPoint.of(5, 1, 320, 0));
    set.add(CommitPoint.of(6, 2, 64, 0));
    assertThat(newestOf(1).end()).isEqualTo(640);
    assertThat(newestOf(2).end()).isEqualTo(64);
    assertThat(partitions()).doesNotContain(0);
    assertThat(set.newestLsn()).isEqualTo(7);
  }

  @Test
  void theNewestDependencyIsWaitedForWhicheverCommitHasIt() {
    set.add(CommitPoint.of(7, 1, 320, 6));
    set.add(CommitPoint.of(8, 1, 640, 0));
    set.add(CommitPoint.of(9, 2, 64, 3));
    assertThat(newestOf(1).dependency()).isEqualTo(6);
    assertThat(newestOf(2).dependency()).isEqualTo(6);
  }

  @Test
  void aTransactionThatOnlyReadCountsByItsLsn() {
    set.add(CommitPoint.upTo(4));
    set.add(CommitPoint.upTo(2));
    assertThat(read()).isEqualTo(4);
    assertThat(set.newestLsn()).isEqualTo(4);
    assertThat(partitions()).doesNotContain(0);
  }

  @Test
  void whatIsDurableIsForgotten() {
    set.add(CommitPoint.of(7, 1, 640, 5));
    set.add(CommitPoint.upTo(4));
    set.forget();
    assertThat(partitions()).isEmpty();
    assertThat(read()).isZero();
  }

  @Test
  void allModesButPartitionNeedTheNewestCommitAlone() {
    set.add(CommitPoint.of(7, 1, 640, 0));
    set.add(CommitPoint.of(9, 2, 64, 3));
    assertThat(set.points(Durability.SYNC))
        .singleElement()
        .satisfies(point -> assertThat(point.lsn()).isEqualTo(9))
        .satisfies(point -> assertThat(point.hasRecord()).isFalse());
  }

  private List<CommitPoint> records() {
    return set.points(Durability.PARTITION).stream().filter(CommitPoint::hasRecord).toList();
  }

  private List<Integer> partitions() {
    return records().stream().map(CommitPoint::partition).toList();
  }

  private CommitPoint newestOf(int partition) {
    return records().stream().filter(p -> p.partition() == partition).findFirst().orElseThrow();
  }

  private long read() {
    CommitPoint read = set.points(Durability.PARTITION).getFirst();
    assertThat(read.hasRecord()).isFalse();
    return read.lsn();
  }
}
