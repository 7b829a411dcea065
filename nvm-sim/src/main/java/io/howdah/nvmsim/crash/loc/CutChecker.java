package io.howdah.nvmsim.crash.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

import io.howdah.nvmsim.crash.loc.PersistTape.Event;
import io.howdah.nvmsim.crash.loc.PersistTape.Finished;
import io.howdah.nvmsim.crash.loc.PersistTape.Reported;
import io.howdah.nvmsim.crash.loc.PersistTape.Sent;
import io.howdah.nvmsim.crash.loc.PersistTape.Waited;
import io.howdah.nvmsim.loc.Contents;
import io.howdah.nvmsim.loc.CoreConfig;
import io.howdah.nvmsim.loc.DamagedLogException;
import io.howdah.nvmsim.schedule.SplitMix;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Plays a tape, cuts the power after its events, and recovers. The recovered data must be the state
 * after a prefix of the transactions, not shorter than what was reported, not longer than what was
 * finished. Recovering once more changes nothing; a cut during recovery leads to such a state too.
 */
final class CutChecker {
  private static final int RECOVERY_CUTS = 6;
  private static final int SAMPLES = 3;

  private final CutTarget target;
  private final CoreConfig config;
  private final int homeWords;
  private final History history;
  private final SplitMix random;
  private long reported;
  private long finished;

  /** Home locations after {@link #reported}: where the search for the prefix begins. */
  private long[] afterReported;

  private long states;
  private long secondCuts;
  private String violation = "";
  private long[] someState = new long[0];

  CutChecker(
      CutTarget target, CoreConfig config, History history, long[] start, long before, long seed) {
    this.target = target;
    this.config = config;
    this.history = history;
    homeWords = (int) config.homeLines() * LINE_WORDS;
    random = new SplitMix(seed);
    reported = before;
    finished = before;
    afterReported = Arrays.copyOf(start, homeWords);
  }

  /**
   * Checks a tape.
   *
   * @param initial memory before it
   * @param every cut after every event; otherwise after this share of them, one in so many
   */
  PowerCutResult check(List<Event> events, long[] initial, int every) {
    CutStates cut = new CutStates(initial);
    boolean all = every == 1;
    int number = 0;
    for (Event event : events) {
      switch (event) {
        case Sent sent -> cut.sent(sent);
        case Waited _ -> cut.waited();
        case Reported now -> advanceReported(now.txId());
        case Finished now -> finished = now.txId();
      }
      number++;
      String where = " after event " + number + " of " + events.size();
      if (all) {
        cut.forEach(random, SAMPLES, state -> recover(state, where));
      } else if (random.below(every) == 0) {
        cut.sample(random, state -> recover(state, where));
      }
      if (!violation.isEmpty()) {
        break;
      }
    }
    return new PowerCutResult(
        states, secondCuts, violation.isEmpty() ? Optional.empty() : Optional.of(violation));
  }

  /** One of the states that were recovered, for the next life of the store. */
  long[] someRecoveredState() {
    return someState;
  }

  private void advanceReported(long txId) {
    while (reported < txId) {
      reported++;
      history.advance(afterReported, reported);
    }
  }

  private void recover(long[] state, String where) {
    if (!violation.isEmpty()) {
      return;
    }
    states++;
    long[] cut = state.clone();
    PersistTape tape = new PersistTape();
    if (!recovers(state, tape, where) || !isPrefix(state, where)) {
      return;
    }
    if (someState.length == 0 || random.below(16) == 0) {
      someState = state.clone();
    }
    long[] again = state.clone();
    if (recovers(again, new PersistTape(), where + ", recovered twice")
        && !sameHome(again, state)) {
      violation = "recovering twice is not recovering once" + where;
    }
    if (random.below(RECOVERY_CUTS) == 0) {
      cutRecovery(cut, tape.events(), where);
    }
  }

  private void cutRecovery(long[] cut, List<Event> events, String where) {
    CutStates second = new CutStates(cut);
    int stopAt = random.below(events.size() + 1);
    for (int i = 0; i < stopAt; i++) {
      switch (events.get(i)) {
        case Sent sent -> second.sent(sent);
        case Waited _ -> second.waited();
        default -> {}
      }
    }
    second.sample(
        random,
        state -> {
          secondCuts++;
          if (recovers(state, new PersistTape(), where + ", cut while recovering")) {
            isPrefix(state, where + ", cut while recovering");
          }
        });
  }

  private boolean recovers(long[] state, PersistTape tape, String where) {
    try {
      target.recover(config, new Contents(state, tape));
      return true;
    } catch (DamagedLogException e) {
      violation = e.getMessage() + where;
      return false;
    }
  }

  private boolean sameHome(long[] first, long[] second) {
    return Arrays.equals(first, 0, homeWords, second, 0, homeWords);
  }

  private boolean isPrefix(long[] state, String where) {
    long[] expected = afterReported.clone();
    for (long txId = reported; ; ) {
      if (sameHome(state, expected)) {
        return true;
      }
      if (txId >= finished) {
        break;
      }
      history.advance(expected, ++txId);
    }
    violation =
        "recovered data is no state after transactions " + reported + " to " + finished + where;
    return false;
  }
}
