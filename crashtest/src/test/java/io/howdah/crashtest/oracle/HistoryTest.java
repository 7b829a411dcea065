package io.howdah.crashtest.oracle;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.crashtest.oracle.History.Ending;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The oracle must object to each thing a store may not return, and to nothing else. */
class HistoryTest {

  private final History history = new History();

  private Attempt writer(long lsn, boolean durable, int cell, long source) {
    Attempt attempt = history.begin(false);
    if (source >= 0) {
      attempt.read(cell, source);
    }
    attempt.wrote(cell);
    if (durable) {
      attempt.durable(lsn);
    } else if (lsn > 0) {
      attempt.returned(lsn);
    }
    return attempt;
  }

  private void objects(Ending ending, Set<Long> marked, Long cell, String complaint) {
    assertThatThrownBy(() -> history.judge(ending, marked, List.of(cell)))
        .isInstanceOf(Violation.class)
        .hasMessageContaining(complaint);
  }

  @Test
  void aReturnedCommitMayGoWithThePowerButNotWithTheProcess() {
    writer(1, false, 0, 0);
    objects(Ending.KILLED, Set.of(), 0L, "is lost");
    assertThatCode(() -> history.judge(Ending.POWER_CUT, Set.of(), List.of(0L)))
        .doesNotThrowAnyException();
  }

  @Test
  void anAcknowledgedCommitMayNeverGo() {
    writer(1, true, 0, 0);
    objects(Ending.POWER_CUT, Set.of(), 0L, "is lost");
  }

  @Test
  void aCommitUnderWayMayHaveHappenedOrNot() {
    writer(0, false, 0, 0);
    assertThatCode(() -> history.judge(Ending.KILLED, Set.of(1L), List.of(1L)))
        .doesNotThrowAnyException();
  }

  @Test
  void whatWasServedStaysAndWhatWasDiscardedStaysAway() {
    writer(0, false, 0, 0);
    writer(0, false, 0, 0);
    history.judge(Ending.POWER_CUT, Set.of(1L), List.of(1L));
    objects(Ending.POWER_CUT, Set.of(), 0L, "served");
    objects(Ending.POWER_CUT, Set.of(1L, 2L), 2L, "is back");
  }

  @Test
  void aSurvivorWithoutItsSourceIsRefused() {
    writer(1, false, 0, 0);
    writer(2, false, 0, 1);
    objects(Ending.POWER_CUT, Set.of(2L), 2L, "read from T1");
  }

  @Test
  void aCellHoldsTheLastWrite() {
    writer(1, false, 0, -1);
    writer(2, false, 0, -1);
    objects(Ending.KILLED, Set.of(1L, 2L), 1L, "came later");
  }

  @Test
  void aLostUpdateIsNoticed() {
    writer(1, false, 0, 0);
    writer(2, false, 0, 0);
    objects(Ending.KILLED, Set.of(1L, 2L), 2L, "did not see the write of");
  }

  @Test
  void aReadOfAnOldValueIsNoticed() {
    writer(1, false, 0, 0);
    Attempt reader = history.begin(false);
    reader.read(0, History.NOBODY);
    reader.wrote(1);
    reader.returned(2);
    objects(Ending.KILLED, Set.of(1L, 2L), 1L, "did not see");
  }

  @Test
  void aRefusedTransactionDidNotHappen() {
    Attempt attempt = history.begin(false);
    attempt.wrote(0);
    attempt.refused();
    objects(Ending.KILLED, Set.of(1L), 1L, "was refused");
  }

  @Test
  void anAnswerThatWasGivenKeepsItsSources() {
    writer(1, false, 0, 0);
    Attempt reader = history.begin(true);
    reader.read(0, 1);
    reader.durable(1);
    objects(Ending.POWER_CUT, Set.of(), 0L, "answered");
  }

  @Test
  void nothingIsInvented() {
    objects(Ending.KILLED, Set.of(7L), 0L, "never tried");
    writer(1, false, 0, 0);
    objects(Ending.POWER_CUT, Set.of(), 1L, "did not survive");
  }
}
