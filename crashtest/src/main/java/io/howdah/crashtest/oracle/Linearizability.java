package io.howdah.crashtest.oracle;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a history of one register is linearizable: whether each operation can be given a
 * moment between its call and its return such that all replies are those of a serial execution.
 * Wing and Gong's search, with the visited pairs of linearized operations and state remembered
 * (Lowe, Testing for linearizability, 2017).
 */
public final class Linearizability {

  /**
   * What the register does.
   *
   * @param <S> its state; has {@code equals}
   * @param <O> an operation with its reply
   */
  public interface Model<S, O> {

    /** Returns the next state, or null if the operation cannot have had its reply here. */
    @Nullable S step(S state, O operation);
  }

  /**
   * One operation.
   *
   * @param called a moment, from one clock for all
   * @param returned a later moment; {@link Long#MAX_VALUE} if there was no reply
   */
  public record Call<O>(O operation, long called, long returned) {}

  private record Visited<S>(BitSet done, S state) {}

  private Linearizability() {}

  /** Returns whether the history is linearizable. Calls without a reply may have had no effect. */
  public static <S, O> boolean holds(S initial, List<Call<O>> history, Model<S, O> model) {
    List<Call<O>> calls = new ArrayList<>(history);
    calls.sort(Comparator.comparingLong(Call::called));
    return new Search<>(calls, model).runs(initial);
  }

  private static final class Search<S, O> {

    private final List<Call<O>> calls;
    private final Model<S, O> model;
    private final Set<Visited<S>> visited = new HashSet<>();

    Search(List<Call<O>> calls, Model<S, O> model) {
      this.calls = calls;
      this.model = model;
    }

    /** One choice of the search: what was linearized, with which state, and what to try next. */
    private static final class Frame<S> {
      final BitSet done;
      final S state;
      int next;

      Frame(BitSet done, S state) {
        this.done = done;
        this.state = state;
        this.next = done.nextClearBit(0);
      }
    }

    boolean runs(S initial) {
      List<Frame<S>> stack = new ArrayList<>();
      stack.add(new Frame<>(new BitSet(), initial));
      while (!stack.isEmpty()) {
        Frame<S> top = stack.getLast();
        if (isComplete(top.done)) {
          return true;
        }
        Frame<S> deeper = advance(top);
        if (deeper == null) {
          stack.removeLast();
        } else {
          stack.add(deeper);
        }
      }
      return false;
    }

    private boolean isComplete(BitSet done) {
      for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
        if (calls.get(i).returned() != Long.MAX_VALUE) {
          return false;
        }
      }
      return true;
    }

    /** Linearizes the next operation that may come first, in a way not tried before. */
    private @Nullable Frame<S> advance(Frame<S> frame) {
      long firstReturn = Long.MAX_VALUE;
      for (int i = frame.done.nextClearBit(0);
          i < calls.size() && calls.get(i).called() < firstReturn;
          i = frame.done.nextClearBit(i + 1)) {
        if (i >= frame.next) {
          S state = model.step(frame.state, calls.get(i).operation());
          if (state != null) {
            BitSet done = (BitSet) frame.done.clone();
            done.set(i);
            if (visited.add(new Visited<>(done, Objects.requireNonNull(state)))) {
              frame.next = i + 1;
              return new Frame<>(done, state);
            }
          }
        }
        firstReturn = Math.min(firstReturn, calls.get(i).returned());
      }
      return null;
    }
  }
}
