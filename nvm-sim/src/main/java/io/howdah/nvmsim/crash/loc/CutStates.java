package io.howdah.nvmsim.crash.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

import io.howdah.nvmsim.crash.loc.PersistTape.Sent;
import io.howdah.nvmsim.schedule.SplitMix;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a power cut may leave of memory, while a tape is played: what was sent before the last wait,
 * and any part of what was sent since. Lines sent to one address arrive in order. Of a line that is
 * not part of an atomic group, any of its words may arrive.
 */
final class CutStates {
  /** Up to this many sends in flight, every subset is a state. */
  private static final int ALL_SUBSETS = 4;

  private final long[] durable;
  private final List<Sent> inFlight = new ArrayList<>();

  CutStates(long[] initial) {
    durable = initial.clone();
  }

  void sent(Sent event) {
    inFlight.add(event);
  }

  void waited() {
    for (Sent event : inFlight) {
      apply(durable, event, -1);
    }
    inFlight.clear();
  }

  int inFlight() {
    return inFlight.size();
  }

  /** Memory with everything sent: no cut. */
  long[] everything() {
    long[] state = durable.clone();
    for (Sent event : inFlight) {
      apply(state, event, -1);
    }
    return state;
  }

  /**
   * Calls with states: all subsets of few sends in flight; of many, none, all, each alone, each
   * missing, and random ones. Then the same number of random ones with torn lines.
   *
   * @param random chooses
   * @param samples random states of each kind
   */
  void forEach(SplitMix random, int samples, Consumer<long[]> check) {
    int count = inFlight.size();
    if (count <= ALL_SUBSETS) {
      for (int subset = 0; subset < 1 << count; subset++) {
        long chosen = subset;
        check.accept(state(i -> (chosen >>> i & 1) != 0 ? -1 : 0));
      }
    } else {
      check.accept(durable.clone());
      check.accept(everything());
      for (int one = 0; one < count; one++) {
        int picked = one;
        check.accept(state(i -> i == picked ? -1 : 0));
        check.accept(state(i -> i == picked ? 0 : -1));
      }
      for (int i = 0; i < samples; i++) {
        check.accept(state(_ -> (random.next() & 1) == 0 ? -1 : 0));
      }
    }
    for (int i = 0; i < samples && count > 0; i++) {
      check.accept(state(_ -> (int) random.next()));
    }
  }

  /** One random state, for large runs. */
  void sample(SplitMix random, Consumer<long[]> check) {
    check.accept(state(_ -> random.below(3) == 0 ? (int) random.next() : -random.below(2)));
  }

  private interface Arrival {
    /** Bit {@code i mod 8} says whether word {@code i} of the send arrives. */
    int words(int index);
  }

  private long[] state(Arrival arrival) {
    long[] state = durable.clone();
    for (int i = 0; i < inFlight.size(); i++) {
      apply(state, inFlight.get(i), arrival.words(i));
    }
    return state;
  }

  private static void apply(long[] memory, Sent event, int arriving) {
    int mask = arriving;
    if (event.atomic()) {
      mask = (arriving & 1) != 0 ? -1 : 0;
    }
    for (int i = 0; i < event.length(); i++) {
      if ((mask >>> (i % LINE_WORDS) & 1) != 0) {
        memory[event.target(i)] = event.word(i);
      }
    }
  }
}
