package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An iterator that a {@link CollectionWalk} keeps open, and what it has to show. */
abstract sealed class WalkIterator {

  /** Takes one step; returns false at the end. */
  abstract boolean step(WalkState now);

  /** Something has changed: a roll-back, or else one operation. */
  void changed(WalkState now, boolean rolledBack) {}

  /** Shows in order, whatever happens: what comes next follows from what came last. */
  static final class Ordered<T> extends WalkIterator {
    private final Iterator<T> actual;
    private final Follower<T> expected;
    private @Nullable T last;

    /** Returns what follows an element, the first if there is none yet; null at the end. */
    interface Follower<T> {
      @Nullable T after(WalkState now, @Nullable T last);
    }

    Ordered(Iterator<T> actual, Follower<T> expected) {
      this.actual = actual;
      this.expected = expected;
    }

    @Override
    boolean step(WalkState now) {
      T next = expected.after(now, last);
      assertThat(actual.hasNext())
          .as("whether %s is followed by %s", last, next)
          .isEqualTo(next != null);
      if (next == null) {
        return false;
      }
      assertThat(actual.next()).as("what follows %s", last).isEqualTo(next);
      last = next;
      return true;
    }
  }

  /** Shows what is there all the while exactly once, and nothing that is not there. */
  static final class Unordered<K> extends WalkIterator {
    private final Iterator<Map.Entry<K, ?>> actual;
    private final Function<WalkState, Map<K, ?>> expected;
    private final Set<K> due;
    private final Set<K> shown = new HashSet<>();

    Unordered(
        Iterator<Map.Entry<K, ?>> actual, Function<WalkState, Map<K, ?>> expected, WalkState now) {
      this.actual = actual;
      this.expected = expected;
      this.due = new HashSet<>(expected.apply(now).keySet());
    }

    @Override
    void changed(WalkState now, boolean rolledBack) {
      due.retainAll(expected.apply(now).keySet());
    }

    @Override
    boolean step(WalkState now) {
      if (!actual.hasNext()) {
        assertThat(due).as("keys that were not shown").isEmpty();
        return false;
      }
      Map.Entry<K, ?> next = actual.next();
      assertThat(shown.add(next.getKey())).as("%s is shown once", next.getKey()).isTrue();
      assertThat((Object) next.getValue())
          .as("the value of %s", next.getKey())
          .isEqualTo(expected.apply(now).get(next.getKey()));
      due.remove(next.getKey());
      return true;
    }
  }

  /** Shows a queue: in order, and exactly what is there if nothing was rolled back. */
  static final class OfQueue extends WalkIterator {
    private final Iterator<String> actual;
    private final Set<WalkState.Queued> due;
    private boolean rolledBack;
    private long last = -1;

    OfQueue(Iterator<String> actual, WalkState now) {
      this.actual = actual;
      this.due = new HashSet<>(now.queue);
    }

    @Override
    void changed(WalkState now, boolean rolledBack) {
      this.rolledBack |= rolledBack;
      due.retainAll(now.queue);
    }

    @Override
    boolean step(WalkState now) {
      boolean hasNext = actual.hasNext();
      String next = hasNext ? actual.next() : null;
      for (WalkState.Queued element : now.queue) {
        if (element.number() <= last) {
          continue;
        }
        if (rolledBack && !due.contains(element) && !element.value().equals(next)) {
          continue; // it may have the place of one that was shown and is gone
        }
        assertThat(next).as("what follows number %s", last).isEqualTo(element.value());
        last = element.number();
        due.remove(element);
        return true;
      }
      assertThat(next).as("the end of the queue").isNull();
      assertThat(due).isEmpty();
      return false;
    }
  }
}
