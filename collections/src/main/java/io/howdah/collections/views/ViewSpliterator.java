package io.howdah.collections.views;

import java.util.Comparator;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators.AbstractSpliterator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a view, without their number: one that is counted in another transaction than the
 * elements come from may be wrong, and streams rely on it. Not thread-safe.
 */
public final class ViewSpliterator<E> extends AbstractSpliterator<E> {

  private final Iterator<? extends E> elements;
  private final @Nullable Comparator<? super E> order;

  private ViewSpliterator(
      Iterator<? extends E> elements, int characteristics, @Nullable Comparator<? super E> order) {
    super(Long.MAX_VALUE, characteristics | NONNULL);
    this.elements = elements;
    this.order = order;
  }

  /**
   * Returns elements in no order of values.
   *
   * @param characteristics beside {@link Spliterator#NONNULL}
   */
  public static <E> ViewSpliterator<E> of(Iterator<? extends E> elements, int characteristics) {
    return new ViewSpliterator<>(elements, characteristics, null);
  }

  /** Returns elements that are sorted by a comparator. */
  public static <E> ViewSpliterator<E> sorted(
      Iterator<? extends E> elements, Comparator<? super E> order) {
    return new ViewSpliterator<>(elements, DISTINCT | ORDERED | SORTED, order);
  }

  @Override
  public boolean tryAdvance(Consumer<? super E> action) {
    boolean hasNext = elements.hasNext();
    if (hasNext) {
      action.accept(elements.next());
    }
    return hasNext;
  }

  @Override
  public Comparator<? super E> getComparator() {
    if (order == null) {
      throw new IllegalStateException("the elements are not sorted");
    }
    return order;
  }
}
