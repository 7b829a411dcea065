package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.txn.AbortCause;
import io.howdah.txn.Tx;
import io.howdah.txn.words.ContextAttachment;
import io.howdah.txn.words.Counters;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which contexts are kept, found again, and counted. */
final class ContextPoolTest {

  private static final int KEPT_FOR_A_THREAD = 4;

  private final SmallEngine engine = new SmallEngine();
  private final ContextPool pool = engine.contexts;

  @AfterEach
  void close() {
    engine.close();
  }

  private List<TxContext> take(int count) {
    List<TxContext> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      taken.add(pool.take());
    }
    return taken;
  }

  /** Makes a context that cannot be reset, as at the end of a stack. */
  private static final class Failing extends ContextAttachment {
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
    List<TxContext> taken = take(KEPT_FOR_A_THREAD + 2);
    assertThat(taken).doesNotHaveDuplicates();
    assertThat(taken).extracting(context -> context.id).containsExactly(0, 1, 2, 3, 4, 5);
    for (TxContext context : taken) {
      assertThat(pool.progress(context.id)).isSameAs(context.progress);
      context.counters.increment(Counters.COMMITS);
      context.counters.increment(AbortCause.EXPLICIT);
      pool.give(context);
    }
    assertThat(pool.counters()[Counters.COMMITS]).isEqualTo(6);
    assertThat(pool.counters()[Counters.of(AbortCause.EXPLICIT)]).isEqualTo(6);
    assertThat(pool.counters()[Counters.of(AbortCause.LOCKED)]).isZero();
    assertThat(pool.progress(4)).as("that of a context dropped").isNull();
    List<TxContext> again = take(KEPT_FOR_A_THREAD + 1);
    assertThat(again.subList(0, KEPT_FOR_A_THREAD))
        .containsExactlyElementsOf(taken.subList(0, KEPT_FOR_A_THREAD));
    assertThat(again.getLast().id).as("a new one, with the id of one dropped").isEqualTo(4);
    assertThat(pool.counters()[Counters.COMMITS]).isEqualTo(6);
  }

  @Test
  void nothingIsLeftOnceAllContextsAreBack() {
    List<TxContext> taken = take(3);
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

  /** Bursts create and drop contexts for years: ids that only grow would come to an end. */
  @Test
  void idsOfDroppedContextsAreGivenOutAgain() {
    for (int burst = 0; burst < 100; burst++) {
      List<TxContext> taken = take(3 * KEPT_FOR_A_THREAD);
      assertThat(taken).extracting(context -> context.id).doesNotHaveDuplicates();
      for (TxContext context : taken) {
        assertThat(context.id).isBetween(0, 3 * KEPT_FOR_A_THREAD - 1);
        assertThat(pool.progress(context.id)).isSameAs(context.progress);
        pool.give(context);
      }
    }
  }

  @Test
  void aContextForWhichThereIsNoMemoryTakesNoId() {
    boolean[] fails = {true};
    ContextPool failing =
        new ContextPool(
            engine.clock,
            (id, counters) -> {
              if (fails[0]) {
                throw new OutOfMemoryError("no memory, by the test");
              }
              TxContext context = pool.take();
              assertThat(id).isZero();
              return context;
            });
    assertThatThrownBy(failing::take).isInstanceOf(OutOfMemoryError.class);
    fails[0] = false;
    pool.give(failing.take());
  }

  /** No thread but the one that lost it could have given it back. */
  @Test
  void aLostContextIsFoundByTheNextThreadThatNeedsOne() {
    TxContext context = pool.take();
    Failing failing = new Failing();
    context.attach(failing);
    context.holder = Thread.currentThread();
    assertThatThrownBy(() -> pool.give(context)).isInstanceOf(StackOverflowError.class);
    assertThat(context.isLost).isTrue();
    assertThat(context.holder).isNull();
    assertThat(pool.hasLost).isTrue();
    failing.fails = false;
    assertThat(pool.take()).isSameAs(context);
    assertThat(context.isLost).isFalse();
    assertThat(pool.take().id).as("nothing is lost any more").isEqualTo(1);
    assertThat(pool.hasLost).isFalse();
  }

  /** The thread that finds a lost context may have no memory to reset it either. */
  @Test
  void aContextThatCannotBeResetStaysLost() {
    TxContext context = pool.take();
    Failing failing = new Failing();
    context.attach(failing);
    assertThatThrownBy(() -> pool.give(context)).isInstanceOf(StackOverflowError.class);
    assertThatThrownBy(pool::take).isInstanceOf(StackOverflowError.class);
    failing.fails = false;
    assertThat(pool.take()).isSameAs(context);
    failing.fails = true;
    assertThatThrownBy(() -> pool.give(context)).isInstanceOf(StackOverflowError.class);
    assertThatThrownBy(pool::take).isInstanceOf(StackOverflowError.class);
    assertThat(pool.drain()).as("none is in use").isTrue();
  }

  @Test
  void aLostContextKeepsNoStoreOpen() {
    TxContext context = pool.take();
    Failing failing = new Failing();
    context.attach(failing);
    context.counters.increment(Counters.COMMITS);
    assertThatThrownBy(() -> pool.give(context)).isInstanceOf(StackOverflowError.class);
    assertThat(pool.drain()).isTrue();
    assertThat(pool.counters()[Counters.COMMITS]).isEqualTo(1);
  }

  @Test
  void aContextGivenBackHasNoHolder() {
    TxContext context = pool.take();
    context.holder = Thread.currentThread();
    pool.give(context);
    assertThat(context.holder).isNull();
  }
}
