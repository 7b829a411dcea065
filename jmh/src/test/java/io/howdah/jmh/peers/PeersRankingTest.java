package io.howdah.jmh.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.jmh.study.Effort;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PeersRankingTest {

  private final Map<PeerKind, PeerFindings> findings = new EnumMap<>(PeerKind.class);

  private void found(PeerKind kind, String name, double... perSecond) {
    PeerFindings own = findings.computeIfAbsent(kind, _ -> new PeerFindings());
    for (double rate : perSecond) {
      own.add(name, new PeerAnswer((long) rate, 1_000_000_000, 1));
    }
  }

  private PeersRanking ranking() {
    PeersPlan plan =
        PeersPlan.of(
            List.of(PeerKind.values()),
            new PeerSize(100, 100, PeerKeys.LONG),
            1,
            List.of(1, 8),
            256,
            new Effort(3, 1));
    return PeersRanking.of(plan, new PeersStudy.Result(findings, Map.of(), List.of()));
  }

  @Test
  void putsCompareWithTheFastestWhoseCommitsSurviveAKill() {
    found(PeerKind.HOWDAH, "PUT", 100, 300, 200);
    found(PeerKind.HOWDAH_HASH, "PUT", 9000, 9000, 9000);
    found(PeerKind.MVSTORE, "PUT", 8000, 8000, 8000); // survives nothing
    found(PeerKind.HEAP, "PUT", 7000, 7000, 7000); // is no store
    found(PeerKind.CHRONICLE, "PUT", 6000, 6000, 6000); // has no transactions
    found(PeerKind.LMDB, "PUT", 50, 100, 400);
    found(PeerKind.ROCKSDB, "PUT", 90, 90, 90);
    PeersRanking.Row row = ranking().rows().getFirst();
    assertThat(row.fastest()).isEqualTo(PeerKind.LMDB);
    assertThat(row.own()).isEqualTo(200);
    assertThat(row.other()).isEqualTo(100);
    assertThat(row.ratios()).containsExactly(2.0, 3.0, 0.5);
    assertThat(row.ratio()).isEqualTo(2);
    assertThat(row.operation().goal()).hasValue(3);
  }

  @Test
  void readsAndWaitingCommitsCompareWithAllStores() {
    found(PeerKind.HOWDAH, "GET", 100);
    found(PeerKind.MVSTORE, "GET", 200);
    found(PeerKind.LMDB, "GET", 50);
    found(PeerKind.HOWDAH, PeerFindings.sync(8), 100);
    found(PeerKind.MVSTORE, PeerFindings.sync(8), 10, 20);
    List<PeersRanking.Row> rows = ranking().rows();
    assertThat(rows).extracting(row -> row.operation().metric()).containsExactly("get", "putSync8");
    assertThat(rows)
        .extracting(PeersRanking.Row::fastest)
        .containsExactly(PeerKind.MVSTORE, PeerKind.MVSTORE);
    assertThat(rows.getLast().other()).isEqualTo(15);
    assertThat(rows.getLast().operation().goal()).hasValue(2);
  }

  @Test
  void whatHowdahOrAllOthersHaveNotMeasuredIsLeftOut() {
    found(PeerKind.HOWDAH, "GET", 100);
    found(PeerKind.LMDB, "SCAN", 100);
    assertThat(ranking().rows()).isEmpty();
  }
}
