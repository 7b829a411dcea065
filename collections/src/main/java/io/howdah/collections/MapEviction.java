package io.howdah.collections;

import io.howdah.collections.eviction.CachePolicy;
import io.howdah.collections.eviction.FrequencySketch;
import io.howdah.collections.structure.TableBound;
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

  private static final int SAVED_BITS = 2;
  private static final long SAVE_MIX = 0xC2B2_AE3D_27D4_EB4FL;

  private final PersistentMap<?, ?> map;
  private final TableBound bound;
  private final CachePolicy policy;
  private final @Nullable CacheState state;

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

  /** Notes a use of the entry of the key with a hash. */
  void used(Words words, long hash) {
    policy.used(words.id, hash);
  }

  /** Notes that a transaction has put a new entry. If it does not commit, the hint is wrong. */
  void inserted(Words words, long hash, long weight) {
    policy.inserted(words.id, hash, weight, bound.maxBytes(words), bound.maxEntries(words));
  }

  /**
   * Evicts an entry, or finds room that has been set aside. The scratch has other contents then.
   *
   * @param kept the stored key of an entry that stays
   * @return false if there is neither
   */
  boolean makeRoom(Words words, byte[] kept) {
    boolean hasRoom = state == null && bound.gather(words); // a copy does not evict
    return hasRoom || evict(words, kept) || bound.gather(words);
  }

  /** Evicts an entry, unless there is none but the kept one. */
  boolean evict(Words words, byte[] kept) {
    int hints = 0;
    boolean isValidated = false; // once no hint leads to an entry
    boolean mayLook = true;
    while (true) {
      if (mayLook && policy.needsSample()) {
        if (isValidated) {
          mayLook = map.sample(words, policy, kept);
        } else {
          map.sampleHints(words, policy);
          mayLook = ++hints < MAX_HINTS;
        }
      }
      Long victim = policy.next(words.id);
      if (victim != null) {
        if (map.evict(words, victim, kept)) {
          return true;
        }
      } else if (isValidated) {
        return false;
      } else {
        isValidated = true;
        mayLook = true;
      }
    }
  }

  /**
   * Saves the frequencies of the keys that share a block with a hash, for one hash of each four.
   */
  void save(Words words, long hash) {
    if ((hash * SAVE_MIX) >>> (Long.SIZE - SAVED_BITS) != 0) {
      return;
    }
    FrequencySketch sketch = policy.sketch();
    long[] saved = new long[FrequencySketch.BLOCK_WORDS];
    int block = sketch.block(hash);
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
