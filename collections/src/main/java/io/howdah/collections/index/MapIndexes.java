package io.howdah.collections.index;

import io.howdah.collections.structure.CollectionScratch;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All indexes of a map. Thread-safe. */
public final class MapIndexes<K, V> {

  private final List<MaintainedIndex<V, ?, K>> indexes;

  /** Makes the refusal to change an entry; null if entries may change. */
  private final @Nullable Supplier<RuntimeException> refusal;

  public MapIndexes(List<MaintainedIndex<V, ?, K>> indexes) {
    this.indexes = List.copyOf(indexes);
    this.refusal = null;
  }

  private MapIndexes(Supplier<RuntimeException> refusal) {
    this.indexes = List.of();
    this.refusal = refusal;
  }

  /** Returns the indexes of a handle that only reads: it does not have their functions. */
  public static <K, V> MapIndexes<K, V> unknown(Supplier<RuntimeException> refusal) {
    return new MapIndexes<>(refusal);
  }

  /** Returns the index of a declaration, or null if the map was not opened with it. */
  public @Nullable MaintainedIndex<V, ?, K> find(Object declaration) {
    for (MaintainedIndex<V, ?, K> each : indexes) {
      if (each.declared().declaration().equals(declaration)) {
        return each;
      }
    }
    return null;
  }

  /**
   * What the change of an entry does to each index: the key that goes and the one that comes, or
   * null.
   */
  public static final class Change {
    private final byte[] @Nullable [] former;
    private final byte[] @Nullable [] next;
    private final byte[] @Nullable [] values;

    private Change(int indexes) {
      former = new byte[indexes][];
      next = new byte[indexes][];
      values = new byte[indexes][];
    }
  }

  /** Throws if the map was opened to read. */
  public void requireChangeable(Words words) {
    if (refusal != null) {
      throw words.refuse(refusal.get());
    }
  }

  /**
   * Returns the keys of other entries that have what a new value of an entry is to have in a unique
   * index. Calls the program; writes nothing.
   */
  public List<K> holders(Words words, IndexedMap map, K key, V next) {
    requireChangeable(words);
    List<K> holders = new ArrayList<>();
    CollectionScratch own = CollectionScratch.of(words);
    words.attach(own.inner());
    try {
      for (MaintainedIndex<V, ?, K> index : indexes) {
        K holder = index.holder(words, map, key, next);
        if (holder != null) {
          holders.add(holder);
        }
      }
    } finally {
      words.attach(own);
    }
    return holders;
  }

  /** Computes what the change of an entry does. Calls the program; writes nothing. */
  public Change change(Words words, IndexedMap map, K key, @Nullable V former, @Nullable V next) {
    requireChangeable(words);
    Change change = new Change(indexes.size());
    CollectionScratch own = CollectionScratch.of(words);
    words.attach(own.inner());
    try {
      for (int i = 0; i < indexes.size(); i++) {
        MaintainedIndex<V, ?, K> index = indexes.get(i);
        byte[] before = former == null ? null : index.key(words, map, key, former);
        byte[] after = next == null ? null : index.key(words, map, key, next);
        if (before == null || after == null || !Arrays.equals(before, after)) {
          change.former[i] = before;
          change.next[i] = after;
          if (after != null || !index.isFinished()) {
            change.values[i] = index.value(words, map, key);
          }
        }
      }
    } finally {
      words.attach(own);
    }
    return change;
  }

  /** Writes a change, within an operation of the map. */
  public void apply(Words words, IndexedMap map, Change change) {
    CollectionScratch own = CollectionScratch.of(words);
    words.attach(own.inner());
    try {
      for (int i = 0; i < indexes.size(); i++) {
        byte[] before = change.former[i];
        if (before != null) {
          indexes.get(i).remove(words, before, change.values[i]);
        }
        byte[] after = change.next[i];
        if (after != null) {
          indexes.get(i).add(words, map, after, Objects.requireNonNull(change.values[i]));
        }
      }
    } finally {
      words.attach(own);
    }
  }
}
