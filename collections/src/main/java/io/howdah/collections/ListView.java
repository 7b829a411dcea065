package io.howdah.collections;

import io.howdah.collections.structure.EntryCodec;
import io.howdah.txn.Tx;
import java.util.AbstractList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/** A {@link PersistentList} as a {@link List} within a transaction. Not thread-safe. */
final class ListView<E> extends AbstractList<E> implements RandomAccess {

  private final PersistentList<E> list;
  private final Tx tx;

  ListView(PersistentList<E> list, Tx tx) {
    this.list = list;
    this.tx = tx;
  }

  @Override
  public int size() {
    return (int) Math.min(Integer.MAX_VALUE, list.size(tx));
  }

  @Override
  public E get(int index) {
    return list.get(tx, Objects.checkIndex(index, list.size(tx)));
  }

  @Override
  public E set(int index, E element) {
    Objects.requireNonNull(element);
    E former = get(index);
    list.set(tx, index, element);
    return former;
  }

  @Override
  public void add(int index, E element) {
    Objects.requireNonNull(element);
    list.add(tx, Objects.checkIndex(index, list.size(tx) + 1), element);
    modCount++;
  }

  /** Copies them first: they may be those of this list. */
  @Override
  public boolean addAll(Collection<? extends E> elements) {
    return super.addAll(List.copyOf(elements));
  }

  /** Copies them first: they may be those of this list. */
  @Override
  public boolean addAll(int index, Collection<? extends E> elements) {
    return super.addAll(index, List.copyOf(elements));
  }

  @Override
  public E remove(int index) {
    E former = list.remove(tx, Objects.checkIndex(index, list.size(tx)));
    modCount++;
    return former;
  }

  /** From the end, so the elements before the range do not move. */
  @Override
  protected void removeRange(int fromIndex, int toIndex) {
    for (int i = toIndex - 1; i >= fromIndex; i--) {
      remove(i);
    }
  }

  // ---- Looking for elements: by the codec where equals does not tell, see EntryCodec.isSame.

  @Override
  public boolean contains(@Nullable Object element) {
    return indexOf(element) >= 0;
  }

  @Override
  public int indexOf(@Nullable Object element) {
    return find(new IndexIterator(0), element);
  }

  @Override
  public int lastIndexOf(@Nullable Object element) {
    for (int i = size() - 1; i >= 0; i--) {
      if (list.codec().isSame(get(i), element)) {
        return i;
      }
    }
    return -1;
  }

  private int find(IndexIterator all, @Nullable Object element) {
    while (all.hasNext()) {
      if (list.codec().isSame(all.next(), element)) {
        return all.previousIndex();
      }
    }
    return -1;
  }

  @Override
  public boolean remove(@Nullable Object element) {
    int index = indexOf(element);
    if (index >= 0) {
      remove(index);
    }
    return index >= 0;
  }

  @Override
  public boolean removeAll(Collection<?> elements) {
    return removeIf(list.codec().in(Objects.requireNonNull(elements)));
  }

  @Override
  public boolean retainAll(Collection<?> elements) {
    return removeIf(list.codec().in(Objects.requireNonNull(elements)).negate());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (this == other) {
      return true;
    }
    if (!(other instanceof List<?> elements) || elements.size() != size()) {
      return false;
    }
    Iterator<E> mine = iterator();
    for (Object each : elements) {
      if (!mine.hasNext() || !list.codec().isSame(mine.next(), each)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    int hash = 1;
    for (E each : this) {
      hash = 31 * hash + EntryCodec.hash(each);
    }
    return hash;
  }

  @Override
  public Iterator<E> iterator() {
    return new IndexIterator(0);
  }

  @Override
  public ListIterator<E> listIterator() {
    return new IndexIterator(0);
  }

  @Override
  public ListIterator<E> listIterator(int index) {
    return new IndexIterator(Objects.checkIndex(index, size() + 1));
  }

  /** Shows at each step the element that its index has then. */
  private final class IndexIterator implements ListIterator<E> {
    private static final int NONE = -1;

    private int next;
    private int last = NONE;

    IndexIterator(int next) {
      this.next = next;
    }

    @Override
    public boolean hasNext() {
      return next < size();
    }

    @Override
    public E next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      last = next++;
      return get(last);
    }

    @Override
    public boolean hasPrevious() {
      return Math.min(next, size()) > 0;
    }

    @Override
    public E previous() {
      if (!hasPrevious()) {
        throw new NoSuchElementException();
      }
      next = Math.min(next, size()) - 1;
      last = next;
      return get(last);
    }

    @Override
    public int nextIndex() {
      return next;
    }

    @Override
    public int previousIndex() {
      return next - 1;
    }

    @Override
    public void remove() {
      ListView.this.remove(shown());
      next = last;
      last = NONE;
    }

    @Override
    public void set(E element) {
      ListView.this.set(shown(), element);
    }

    @Override
    public void add(E element) {
      ListView.this.add(next, element);
      next++;
      last = NONE;
    }

    private int shown() {
      if (last == NONE) {
        throw new IllegalStateException("there is no element that was shown last");
      }
      return last;
    }
  }
}
