package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.txn.AbortCause;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.WordsAttachment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which attempts are kept, found again, and counted. */
final class AttemptPoolTest {

  private static final int KEPT_FOR_A_THREAD = 4;

  private final SmallEngine engine = new SmallEngine();
  private final AttemptPool pool = engine.attempts;

  @AfterEach
  void close() {
    engine.close();
  }

  private List<Attempt> take(int count) {
    List<Attempt> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      taken.add(pool.take());
    }
    return taken;
  }

  /** Makes an attempt that cannot be reset, as at the end of a stack. */
  private static final class Failing extends WordsAttachment {
    private boolean fails = true;

    @Override
    public void begin(Tx tx) {}

    @Override
    public void trim() {
      if (fails) {
        throw new StackOverflowError("by the test");
      }
    }
  }

  @Test
  void aThreadFindsItsContextsAgainAndFurtherOnesAreDropped() {
    List<Attempt> taken = take(KEPT_FOR_A_THREAD + 2);
    assertThat(taken).doesNotHaveDuplicates();
    assertThat(taken).extracting(attempt -> attempt.id).containsExactly(0, 1, 2, 3, 4, 5);
    for (Attempt attempt : taken) {
      assertThat(pool.progress(attempt.id)).isSameAs(attempt.progress);
      attempt.counters.increment(Counters.COMMITS);
      attempt.counters.increment(AbortCause.EXPLICIT);
      pool.give(attempt);
    }
    assertThat(pool.counters()[Counters.COMMITS]).isEqualTo(6);
    assertThat(pool.counters()[Counters.of(AbortCause.EXPLICIT)]).isEqualTo(6);
    assertThat(pool.counters()[Counters.of(AbortCause.LOCKED)]).isZero();
    assertThat(pool.progress(4)).as("that of an attempt dropped").isNull();
    List<Attempt> again = take(KEPT_FOR_A_THREAD + 1);
    assertThat(again.subList(0, KEPT_FOR_A_THREAD))
        .containsExactlyElementsOf(taken.subList(0, KEPT_FOR_A_THREAD));
    assertThat(again.getLast().id).as("a new one, with the id of one dropped").isEqualTo(4);
    assertThat(pool.counters()[Counters.COMMITS]).isEqualTo(6);
  }

  @Test
  void nothingIsLeftOnceAllContextsAreBack() {
    List<Attempt> taken = take(3);
    assertThat(pool.drain()).isFalse();
    pool.give(taken.get(0));
    pool.give(taken.get(1));
    assertThat(pool.drain()).isFalse();
    assertThat(pool.progress(0)).isNull();
    assertThat(pool.progress(2)).isNotNull();
    pool.give(taken.get(2));
    assertThat(pool.drain()).isTrue();
    assertThat(pool.take().id).isZero();
  }

  /** Bursts create and drop attempts for years: ids that only grow would come to an end. */
  @Test
  void idsOfDroppedContextsAreGivenOutAgain() {
    for (int burst = 0; burst < 100; burst++) {
      List<Attempt> taken = take(3 * KEPT_FOR_A_THREAD);
      assertThat(taken).extracting(attempt -> attempt.id).doesNotHaveDuplicates();
      for (Attempt attempt : taken) {
        assertThat(attempt.id).isBetween(0, 3 * KEPT_FOR_A_THREAD - 1);
        assertThat(pool.progress(attempt.id)).isSameAs(attempt.progress);
        pool.give(attempt);
      }
    }
  }

  @Test
  void aContextForWhichThereIsNoMemoryTakesNoId() {
    boolean[] fails = {true};
    AttemptPool failing =
        new AttemptPool(
            engine.clock,
            (id, counters) -> {
              if (fails[0]) {
                throw new OutOfMemoryError("no memory, by the test");
              }
              Attempt attempt = pool.take();
              assertThat(id).isZero();
              return attempt;
            });
    assertThatThrownBy(failing::take).isInstanceOf(OutOfMemoryError.class);
    fails[0] = false;
    pool.give(failing.take());
  }

  /** No thread but the one that lost it could have given it back. */
  @Test
  void aLostContextIsFoundByTheNextThreadThatNeedsOne() {
    Attempt attempt = pool.take();
    Failing failing = new Failing();
    attempt.words.attach(failing);
    attempt.holder = Thread.currentThread();
    assertThatThrownBy(() -> pool.give(attempt)).isInstanceOf(StackOverflowError.class);
    assertThat(attempt.isLost).isTrue();
    assertThat(attempt.holder).isNull();
    assertThat(pool.hasLost).isTrue();
    failing.fails = false;
    assertThat(pool.take()).isSameAs(attempt);
    assertThat(attempt.isLost).isFalse();
    assertThat(pool.take().id).as("nothing is lost any more").isEqualTo(1);
    assertThat(pool.hasLost).isFalse();
  }

  /** The thread that finds a lost attempt may have no memory to reset it either. */
  @Test
  void aContextThatCannotBeResetStaysLost() {
    Attempt attempt = pool.take();
    Failing failing = new Failing();
    attempt.words.attach(failing);
    assertThatThrownBy(() -> pool.give(attempt)).isInstanceOf(StackOverflowError.class);
    assertThatThrownBy(pool::take).isInstanceOf(StackOverflowError.class);
    failing.fails = false;
    assertThat(pool.take()).isSameAs(attempt);
    failing.fails = true;
    assertThatThrownBy(() -> pool.give(attempt)).isInstanceOf(StackOverflowError.class);
    assertThatThrownBy(pool::take).isInstanceOf(StackOverflowError.class);
    assertThat(pool.drain()).as("none is in use").isTrue();
  }

  @Test
  void aLostContextKeepsNoStoreOpen() {
    Attempt attempt = pool.take();
    Failing failing = new Failing();
    attempt.words.attach(failing);
    attempt.counters.increment(Counters.COMMITS);
    assertThatThrownBy(() -> pool.give(attempt)).isInstanceOf(StackOverflowError.class);
    assertThat(pool.drain()).isTrue();
    assertThat(pool.counters()[Counters.COMMITS]).isEqualTo(1);
  }

  @Test
  void aContextGivenBackHasNoHolder() {
    Attempt attempt = pool.take();
    attempt.holder = Thread.currentThread();
    pool.give(attempt);
    assertThat(attempt.holder).isNull();
  }
}
