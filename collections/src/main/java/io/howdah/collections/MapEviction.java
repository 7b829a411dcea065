package io.howdah.collections;

import io.howdah.collections.eviction.CachePolicy;
import io.howdah.collections.eviction.FrequencySketch;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.TableBound;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.words.AfterCommit;
import io.howdah.txn.words.Words;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the bound of a map: a transaction that puts an entry for which there is no room first
 * evicts others. Only the lookups here decide what is in the map; the policy's keys are hints.
 * Thread-safe.
 */
final class MapEviction {

  /** Samples that are read without validation for one eviction, at most. */
  private static final int MAX_HINTS = 8;

  /** How many puts that evict there are for each one that saves frequencies, less one. */
  private static final int SAVE_MASK = 15;

  private final PersistentMap<?, ?> map;
  private final TableBound bound;
  private final CachePolicy policy;
  private final @Nullable CacheState state;

  /** How many puts have evicted, about. */
  private int evictingPuts;

  /** What an attempt to make room has led to. */
  enum Room {
    /** There is nothing to evict. */
    NONE,
    /** There is more room than before. */
    MADE,
    /** The same, and the scratch has no image any more. */
    MADE_OVER_IMAGE,
    /** The image was put in place of an entry. */
    TAKEN
  }

  /**
   * Creates one.
   *
   * @param state what all handles of the cache share; null for a copy, which knows no uses of keys
   */
  MapEviction(PersistentMap<?, ?> map, TableBound bound, @Nullable CacheState state) {
    this.map = map;
    this.bound = bound;
    this.state = state;
    this.policy =
        state == null
            ? new CachePolicy(new FrequencySketch(FrequencySketch.words(1)))
            : state.policy();
  }

  TableBound bound() {
    return bound;
  }

  CachePolicy policy() {
    return policy;
  }

  /** Loads what {@link #inserted} will change, so that it does not wait for that. */
  void loadAhead(long hash) {
    policy.loadInsertionAhead(hash);
  }

  /** Notes a use of the entry of the key with a hash. */
  void used(Words words, long hash) {
    policy.used(words.id, hash);
  }

  /** Notes that a transaction has put a new entry. If it does not commit, the hint is wrong. */
  void inserted(Words words, long hash, long weight) {
    if (policy.needsBound(words.id)) {
      policy.bound(bound.maxBytes(words), bound.maxEntries(words));
    }
    policy.inserted(words.id, hash, weight);
  }

  /**
   * Evicts an entry, or finds room that has been set aside.
   *
   * @param image the hash of the key in the image, for which the room is; its own entry stays
   */
  Room makeRoom(Words words, long image) {
    if (state == null && bound.gather(words)) { // a copy does not evict
      return Room.MADE;
    }
    Room room = evict(words, image);
    return room == Room.NONE && bound.gather(words) ? Room.MADE : room;
  }

  /**
   * Evicts an entry, unless there is none.
   *
   * @param image the hash of the key in the image, whose own entry stays; 0 for no image
   */
  Room evict(Words words, long image) {
    restoreSome(words);
    int hints = 0;
    boolean isValidated = false; // once no hint leads to an entry
    boolean mayLook = true;
    while (true) {
      if (mayLook && policy.needsSample()) {
        if (isValidated) {
          mayLook = map.sample(words, policy, image);
        } else {
          map.sampleHints(words, policy);
          mayLook = ++hints < MAX_HINTS;
        }
      }
      long victim = next(words);
      if (victim != CachePolicy.NONE) {
        Room room = victim == image ? Room.NONE : map.evict(words, victim, image);
        if (room != Room.NONE) {
          return room;
        }
      } else if (isValidated) {
        return Room.NONE;
      } else {
        isValidated = true;
        mayLook = true;
      }
    }
  }

  /** Returns the hash of the entry to evict next; preloads some when they are chosen together. */
  private long next(Words words) {
    if (policy.needsVictims()) {
      long[] victims = CollectionScratch.of(words).victims;
      map.loadVictims(words, victims, policy.choose(words.id, victims));
    }
    return policy.next(words.id);
  }

  /**
   * Reads some of the saved frequencies, unless all were read. Each of the first evictions does so:
   * an opening does not wait for megabytes of hints.
   */
  private void restoreSome(Words words) {
    FrequencySketch sketch = policy.sketch();
    if (state != null && state.restoredWords.get() < sketch.words()) {
      int at = state.restoredWords.getAndAdd(HashTableLayout.SKETCH_CHUNK_WORDS);
      if (at < sketch.words()) {
        int chunk = at / HashTableLayout.SKETCH_CHUNK_WORDS;
        sketch.restore(at, bound.loadSketch(words, sketch.words(), chunk));
      }
    }
  }

  /** Saves the frequencies of the keys that share a block with a hash, in one of 16 calls. */
  void save(Words words, long hash) {
    if ((evictingPuts++ & SAVE_MASK) != 0) {
      return;
    }
    FrequencySketch sketch = policy.sketch();
    long[] saved = new long[FrequencySketch.BLOCK_WORDS];
    int block = sketch.block(hash);
    if (state != null && block >= state.restoredWords.get()) {
      return; // what was saved there is not read yet
    }
    sketch.copyBlock(block, saved);
    bound.saveSketch(words, sketch.words(), block, saved);
  }

  /** Returns whether something listens to expiries. */
  boolean tellsExpired() {
    return state != null && state.tellsExpired();
  }

  /**
   * Has the commit count an entry that had expired and was removed, and tell the listener.
   *
   * @param key null if nothing listens
   * @param value null if nothing listens
   */
  void expired(Words words, @Nullable Object key, @Nullable Object value) {
    if (state != null) {
      words.afterCommit(new Expired(state, key, value));
    }
  }

  private record Expired(CacheState state, @Nullable Object key, @Nullable Object value)
      implements AfterCommit {
    @Override
    public boolean committed(Words words) {
      state.expiries.increment();
      if (key != null && value != null) {
        state.tellExpired(key, value);
      }
      return true;
    }

    @Override
    public void run(Words words, int inserted, Attempts attempts) {
      // Nothing is left to do.
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other; // each counts
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }
}
