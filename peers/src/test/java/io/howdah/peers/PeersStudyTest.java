package io.howdah.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.jmh.peers.PeerFindings;
import io.howdah.jmh.peers.PeerKeys;
import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerSize;
import io.howdah.jmh.peers.PeersPlan;
import io.howdah.jmh.peers.PeersStudy;
import io.howdah.jmh.study.Effort;
import io.howdah.jmh.study.StudyProgress;
import io.howdah.jmh.workload.Rounds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The study with its child JVMs, at the smallest size. */
class PeersStudyTest {

  private static final StudyProgress SILENT =
      new StudyProgress() {
        @Override
        public void begins(String part) {}

        @Override
        public Rounds.Progress rounds(String what) {
          return (_, _, _) -> {};
        }
      };

  @TempDir Path folder;

  private PeersStudy.Result run(String classPath, PeerKind... kinds) throws Exception {
    PeersPlan plan =
        PeersPlan.of(
            List.of(kinds),
            new PeerSize(200, 10, PeerKeys.STRING),
            1,
            List.of(2),
            256,
            new Effort(1, 1_000_000));
    try {
      return PeersStudy.run(plan, folder, classPath, SILENT);
    } finally {
      PeersStudy.clean(folder);
    }
  }

  @Test
  void everyStepOfAStoreIsMeasured() throws Exception {
    PeersStudy.Result found =
        run(System.getProperty("java.class.path"), PeerKind.MVSTORE, PeerKind.HEAP);
    assertThat(found.absent()).isEmpty();
    PeerFindings store = Objects.requireNonNull(found.peers().get(PeerKind.MVSTORE));
    assertThat(store.measured())
        .contains("LOAD", "GET", "SCAN", "PUT_8", "CLOSE", "OPEN", "OPEN_KILLED", "SYNC_2");
    assertThat(store.figure(PeerFindings.LOST_BY_A_KILL)).isPresent();
    assertThat(store.figure(PeerFindings.DISK_OVER_DATA).orElse(0)).isPositive();
    PeerFindings baseline = Objects.requireNonNull(found.peers().get(PeerKind.HEAP));
    assertThat(baseline.measured()).contains("GET").doesNotContain("OPEN", "SYNC_2");
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left.filter(Files::isDirectory)).isEmpty();
    }
  }

  @Tag("campaign") // its JVMs start slowly
  @Test
  void chronicleMapSurvivesAKillAndIsNotMeasuredWhereTransactionsAreNeeded() throws Exception {
    PeersStudy.Result found = run(System.getProperty("java.class.path"), PeerKind.CHRONICLE);
    assertThat(found.absent()).isEmpty();
    PeerFindings ceiling = Objects.requireNonNull(found.peers().get(PeerKind.CHRONICLE));
    assertThat(ceiling.measured())
        .contains("LOAD", "GET", "PUT", "MIXED_50", "MIXED_95", "OPEN", "OPEN_KILLED")
        .doesNotContain("SCAN", "PUT_8", "SYNC_2");
    assertThat(ceiling.figure(PeerFindings.LOST_BY_A_KILL)).hasValue(0);
  }

  @Test
  void aStoreThatIsNotThereIsLeftOutWithItsReason() throws Exception {
    PeersStudy.Result found = run(folder.toString(), PeerKind.HEAP);
    assertThat(found.absent().get(PeerKind.HEAP)).contains("its JVM has ended", "PeerMain");
  }
}
