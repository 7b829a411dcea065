package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.core.TransactionStateException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A persistent list behind the interface of {@code java.util} does what an array list does. */
final class ListViewTest {

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2));
  private final PersistentList<String> list = store.list("list", Codec.utf8());

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  /** Does something with both; the results must be the same. */
  private interface Step {
    Object apply(List<String> list, int index, String element);
  }

  private static final List<Step> STEPS =
      List.of(
          (l, _, e) -> l.add(e),
          (l, _, e) -> l.add(e),
          (l, i, e) -> {
            l.add(i, e);
            return l;
          },
          (l, i, e) -> l.set(i, e),
          (l, i, _) -> l.get(i),
          (l, i, _) -> l.remove(i),
          (l, _, e) -> l.remove(e),
          (l, _, e) -> l.indexOf(e) + " " + l.lastIndexOf(e) + l.contains(e),
          (l, i, e) -> l.addAll(i, List.of(e, e + "a")),
          (l, _, _) -> l.getFirst() + l.getLast(),
          (l, _, e) -> {
            l.addFirst(e);
            l.addLast(e);
            return l.removeFirst() + l.removeLast();
          },
          (l, _, _) -> l.reversed(),
          (l, _, e) -> l.removeIf(e::equals),
          (l, i, _) -> {
            l.subList(0, i).clear();
            return l;
          },
          (l, i, e) -> {
            List<String> part = l.subList(i / 2, i);
            part.add(e);
            part.addFirst(e);
            return part;
          },
          (l, _, _) -> {
            l.sort(null);
            return l;
          },
          (l, _, e) -> {
            l.replaceAll(each -> each.equals(e) ? each + "r" : each);
            return l;
          },
          (l, i, e) -> {
            StringBuilder shown = new StringBuilder();
            ListIterator<String> all = l.listIterator(i);
            while (all.hasPrevious()) {
              shown.append(all.previousIndex()).append(all.previous());
              if (all.nextIndex() % 3 == 0) {
                all.remove();
              } else if (all.nextIndex() % 3 == 1) {
                all.set(e);
              }
            }
            while (all.hasNext()) {
              shown.append(all.nextIndex()).append(all.next());
              if (all.nextIndex() % 4 == 0) {
                all.remove();
                all.add(e + "n");
              }
            }
            return shown;
          },
          (l, _, _) -> {
            l.listIterator().remove();
            return l;
          });

  /** Does something with an iterator of both; the results must be the same. */
  private interface Move {
    Object apply(ListIterator<String> all, String element);
  }

  /** Each may follow each, also where it is refused: behind an addition or a removal, or twice. */
  private static final List<Move> MOVES =
      List.of(
          (all, _) -> all.next(),
          (all, _) -> all.next(),
          (all, _) -> all.previous(),
          (all, _) -> all.hasNext() + " " + all.hasPrevious(),
          (all, _) -> all.nextIndex() + " " + all.previousIndex(),
          (all, e) -> {
            all.add(e);
            return e;
          },
          (all, e) -> {
            all.set(e);
            return e;
          },
          (all, _) -> {
            all.remove();
            return "";
          });

  @Test
  void anIteratorDoesAndRefusesWhatThatOfAnArrayListDoes() throws Exception {
    SplittableRandom random = new SplittableRandom(4);
    store.run(
        tx -> {
          for (int round = 0; round < 50; round++) {
            List<String> view = list.asList(tx);
            view.clear();
            view.addAll(List.of("a", "b", "c", "d"));
            List<String> model = new ArrayList<>(view);
            int start = random.nextInt(model.size() + 1);
            ListIterator<String> shown = view.listIterator(start);
            ListIterator<String> expected = model.listIterator(start);
            for (int i = 0; i < 40; i++) {
              int kind = random.nextInt(MOVES.size());
              String element = "" + i;
              assertThat(outcome(() -> MOVES.get(kind).apply(shown, element)))
                  .as("round %d, move %d of kind %d", round, i, kind)
                  .isEqualTo(outcome(() -> MOVES.get(kind).apply(expected, element)));
              assertThat(view).isEqualTo(model);
            }
          }
        });
  }

  private static String outcome(Callable<Object> call) throws Exception {
    try {
      return "" + call.call();
    } catch (IndexOutOfBoundsException
        | NoSuchElementException
        | IllegalArgumentException
        | IllegalStateException e) {
      return e instanceof IndexOutOfBoundsException ? "index" : e.getClass().getSimpleName();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void itDoesWhatAnArrayListDoes(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> model = new ArrayList<>();
    store.run(
        tx -> {
          List<String> view = list.asList(tx);
          view.clear();
          model.clear();
          for (int i = 0; i < 800; i++) {
            int kind = random.nextInt(STEPS.size());
            int index = random.nextInt(-1, model.size() + 2);
            String element = "" + random.nextInt(20);
            assertThat(outcome(() -> STEPS.get(kind).apply(view, index, element)))
                .as("seed %d, step %d of kind %d", seed, i, kind)
                .isEqualTo(outcome(() -> STEPS.get(kind).apply(model, index, element)));
            assertThat(view).isEqualTo(model);
            if (model.size() > 60) {
              view.subList(10, view.size()).clear();
              model.subList(10, model.size()).clear();
            }
          }
        });
    assertThat(store.<List<String>, RuntimeException>read(tx -> list.stream(tx).toList()))
        .isEqualTo(model);
  }

  /**
   * An iterator that is beyond the end of a list that has become shorter goes back from the end.
   */
  @Test
  void anIteratorGoesBackIntoWhatIsLeft() {
    for (int length = 0; length <= 4; length++) {
      for (int position = 0; position <= length; position++) {
        for (int left = 0; left <= length; left++) {
          goBack(length, position, left);
        }
      }
    }
  }

  private void goBack(int length, int position, int left) {
    String what = "at " + position + " of " + length + ", of which " + left + " are left";
    store.run(
        tx -> {
          List<String> view = list.asList(tx);
          for (int i = 0; i < length; i++) {
            view.add("" + i);
          }
          ListIterator<String> all = view.listIterator(position);
          for (int i = length; i > left; i--) {
            list.removeLast(tx);
          }
          for (int i = Math.min(position, left) - 1; i >= 0; i--) {
            assertThat(all.hasPrevious()).as(what).isTrue();
            assertThat(all.previous()).as(what).isEqualTo("" + i);
          }
          assertThat(all.hasPrevious()).as(what).isFalse();
          assertThatThrownBy(all::previous).as(what).isInstanceOf(NoSuchElementException.class);
          view.clear();
        });
  }

  @Test
  void iteratorsShowWhatTheirIndexHasWhenTheirTurnComes() {
    List<Iterator<String>> leaked = new ArrayList<>();
    store.run(
        tx -> {
          List<String> view = list.asList(tx);
          Collections.addAll(view, "a", "b", "c", "d");
          ListIterator<String> all = view.listIterator();
          assertThat(all.next()).isEqualTo("a");
          list.add(tx, 1, "new");
          assertThat(all.next()).isEqualTo("new");
          list.remove(tx, 0);
          list.remove(tx, 0);
          assertThat(all.next()).isEqualTo("d");
          list.removeLast(tx);
          list.removeLast(tx);
          assertThat(all.hasNext()).isFalse();
          assertThat(all.previous()).isEqualTo("b");
          leaked.add(all);
          leaked.add(view.iterator());
        });
    for (Iterator<String> each : leaked) {
      assertThatThrownBy(each::hasNext).isInstanceOf(TransactionStateException.class);
    }
  }
}
