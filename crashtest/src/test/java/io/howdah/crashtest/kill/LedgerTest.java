package io.howdah.crashtest.kill;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LedgerTest {

  private static final Cities CITIES = Cities.load(10_000);
  private static final int THREADS = 2;

  private final Transfers transfers =
      new Transfers(7, CITIES.count(), CITIES.largest(Transfers.BUSY_CITIES));
  private final Ledger ledger =
      new Ledger(CITIES, transfers, List.of("sync", "async"), THREADS, Set.of("sync", "async"));

  /** A store that ran the first transfers of each mode and thread. */
  private final class Ran implements RecoveredState {
    final long[] populations = CITIES.populations();
    final long[][] counts;

    Ran(long[][] counts) {
      this.counts = counts;
      for (int mode = 0; mode < counts.length; mode++) {
        for (int thread = 0; thread < THREADS; thread++) {
          for (long n = 1; n <= counts[mode][thread]; n++) {
            long draw = transfers.draw(mode, thread, n);
            populations[transfers.from(draw)] -= transfers.people(draw);
            populations[transfers.to(draw)] += transfers.people(draw);
          }
        }
      }
    }

    @Override
    public long transfers(int mode, int thread) {
      return counts[mode][thread];
    }

    @Override
    public long population(int city) {
      return populations[city];
    }
  }

  @Test
  void acceptsExactlyTheAcknowledgedAndOneUnderWayPerThread() {
    Verdict verdict =
        ledger.judge(new long[][] {{10, 20}, {0, 5}}, new Ran(new long[][] {{11, 20}, {0, 6}}));
    assertThat(verdict).isEqualTo(new Verdict(35, 37, 0, 0, List.of()));
    assertThat(verdict.inFlight()).isEqualTo(2);
  }

  @Test
  void goesOnFromWhatItSawBefore() {
    ledger.judge(new long[][] {{10, 20}, {0, 5}}, new Ran(new long[][] {{11, 20}, {0, 5}}));
    assertThat(
            ledger.judge(new long[][] {{13, 20}, {4, 5}}, new Ran(new long[][] {{13, 21}, {4, 5}})))
        .isEqualTo(new Verdict(6, 7, 0, 0, List.of()));
  }

  @Test
  void countsWhatWasAcknowledgedAndIsMissing() {
    Verdict verdict =
        ledger.judge(new long[][] {{10, 0}, {8, 0}}, new Ran(new long[][] {{7, 0}, {8, 0}}));
    assertThat(verdict.lost()).isEqualTo(3);
    assertThat(verdict.violations())
        .containsExactly("sync thread 0: transfers 8 to 10 were acknowledged and are lost");
  }

  @Test
  void countsWhatWasNotPromisedAndIsMissing() {
    Ledger afterPowerCut =
        new Ledger(CITIES, transfers, List.of("sync", "async"), THREADS, Set.of("sync"));
    Verdict verdict =
        afterPowerCut.judge(
            new long[][] {{10, 0}, {8, 0}}, new Ran(new long[][] {{10, 0}, {5, 0}}));
    assertThat(verdict).isEqualTo(new Verdict(18, 15, 0, 3, List.of()));
    assertThat(
            afterPowerCut
                .judge(new long[][] {{10, 0}, {5, 0}}, new Ran(new long[][] {{9, 0}, {4, 0}}))
                .violations())
        .as("what an opening has shown is durable")
        .hasSize(2);
  }

  @Test
  void noticesWhatNobodyBegan() {
    assertThat(
            ledger
                .judge(new long[][] {{0, 0}, {3, 0}}, new Ran(new long[][] {{0, 0}, {5, 0}}))
                .violations())
        .contains("async thread 0: transfer 5 is there, but only 4 could have begun");
  }

  @Test
  void noticesWhatAnEarlierOpeningShowedAndIsGone() {
    ledger.judge(new long[][] {{10, 0}, {0, 0}}, new Ran(new long[][] {{11, 0}, {0, 0}}));
    assertThat(
            ledger
                .judge(new long[][] {{11, 0}, {0, 0}}, new Ran(new long[][] {{10, 0}, {0, 0}}))
                .violations())
        .containsExactly(
            "sync thread 0: transfers 11 to 11 were there after an earlier opening and are gone");
  }

  @Test
  void noticesHalfATransfer() {
    Ran state = new Ran(new long[][] {{5, 0}, {0, 0}});
    int to = transfers.to(transfers.draw(0, 0, 5));
    state.populations[to]--;
    assertThat(ledger.judge(new long[][] {{5, 0}, {0, 0}}, state).violations())
        .hasSize(2)
        .anyMatch(v -> v.startsWith(CITIES.get(to).name() + " "))
        .anyMatch(v -> v.startsWith("the world has "));
  }

  @Test
  void noticesTwoWrongsThatCancelOut() {
    Ran state = new Ran(new long[][] {{0, 0}, {0, 0}});
    state.populations[17]++;
    state.populations[18]--;
    assertThat(ledger.judge(new long[2][THREADS], state).violations()).hasSize(2);
  }

  @Test
  void survivesACounterFullOfGarbage() {
    Ran state = new Ran(new long[][] {{3, 0}, {0, 0}});
    state.counts[0][0] = Long.MAX_VALUE;
    assertThat(ledger.judge(new long[][] {{3, 0}, {0, 0}}, state).violations()).isNotEmpty();
  }
}
