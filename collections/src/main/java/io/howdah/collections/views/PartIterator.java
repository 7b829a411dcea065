package io.howdah.collections.views;

import java.util.Iterator;
import java.util.function.Function;

/** Shows a part of each element of another iterator, and removes by it. Not thread-safe. */
public final class PartIterator<E, P> implements Iterator<P> {

  private final Iterator<E> elements;
  private final Function<? super E, ? extends P> part;

  public PartIterator(Iterator<E> elements, Function<? super E, ? extends P> part) {
    this.elements = elements;
    this.part = part;
  }

  @Override
  public boolean hasNext() {
    return elements.hasNext();
  }

  @Override
  public P next() {
    return part.apply(elements.next());
  }

  @Override
  public void remove() {
    elements.remove();
  }
}
