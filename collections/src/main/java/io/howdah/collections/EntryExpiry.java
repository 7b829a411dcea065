package io.howdah.collections;

import io.howdah.collections.expiry.ExpiryClock;
import io.howdah.collections.expiry.ReclaimTask;
import io.howdah.collections.structure.AttemptTime;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.AfterCommit;
import io.howdah.txn.words.Words;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * When the entries of a map expire, from {@link KeyedCollection#expiry}.
 *
 * <p>A transaction has one time. It is fixed when the transaction first uses a map whose entries
 * expire, and anew when the transaction is repeated. An entry that expires later is there for all
 * of the transaction, however long that takes; one that expires then or earlier is not there for
 * any of it. Times are those of {@code StoreOptions.withClock}, in milliseconds. What is stored is
 * the moment of expiry, so entries also expire while the store is closed.
 *
 * <p>If the clock is set forward, entries expire early. If it is set back by up to a minute, it
 * stands still until it has caught up. If it is set back further, time goes back: entries that were
 * reclaimed are gone, and others that had expired are there again.
 *
 * <p>Any put gives an entry a new time, also those of {@code compute}, {@code merge} and the views
 * of {@code java.util}. {@link Tx#retry} waits for a change; the passing of time is none.
 *
 * <p>Thread-safe.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class EntryExpiry<K, V> {

  /** What {@link #remaining} returns of an entry that does not expire. */
  public static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  /** Says that there is no entry. */
  static final long ABSENT = -1;

  private static final int LOOKED_AT_ONCE = 128;
  private static final int RECLAIMED_AT_ONCE = 64;

  private final KeyedCollection<K, V> map;
  private final MapExpiry expiry;

  /**
   * The earliest expiry among entries put by transactions that have committed since the last pass
   * began. All handles of the map share it: only the latest one has passes.
   */
  private final AtomicLong earliest;

  private final AfterCommit note = new Note();

  EntryExpiry(KeyedCollection<K, V> map, MapExpiry expiry) {
    this.map = map;
    this.expiry = expiry;
    this.earliest = expiry.reclaimer().earliest(map.name());
  }

  /**
   * Gives a key a value, in place of any other, for a time.
   *
   * @param duration more than 0; rounded up to milliseconds; one of some 292 million years or more
   *     stands for ever
   */
  public void put(Tx tx, K key, V value, Duration duration) {
    Words words = map.words(tx);
    boolean _ = map.put(words, key, value, stamp(words, duration));
  }

  /**
   * Gives a key a value, in place of any other, until a moment. If that is not later than the
   * transaction's time, the key has no value.
   *
   * @param at rounded down to milliseconds; one that a {@code long} of milliseconds since 1970
   *     cannot hold stands for ever
   */
  public void putUntil(Tx tx, K key, V value, Instant at) {
    Words words = map.words(tx);
    boolean _ = map.put(words, key, value, noted(words, ExpiryClock.at(at)));
  }

  /** Gives a key a value that does not expire. */
  public void putForever(Tx tx, K key, V value) {
    map.put(map.words(tx), key, value, ExpiryClock.NEVER);
  }

  /**
   * Lets an entry expire so long from now on, whatever it was before. Its value stays.
   *
   * @param duration as in {@link #put}
   * @return whether there is such an entry
   */
  public boolean touch(Tx tx, K key, Duration duration) {
    Words words = map.words(tx);
    return map.restamp(words, key, stamp(words, duration));
  }

  /**
   * Lets an entry expire as if it were put now: after the duration of {@link Expiry#after}, or
   * never.
   *
   * @return whether there is such an entry
   */
  public boolean touch(Tx tx, K key) {
    Words words = map.words(tx);
    return map.restamp(words, key, byDefault(words));
  }

  /**
   * Lets an entry live for ever.
   *
   * @return whether there is such an entry
   */
  public boolean persist(Tx tx, K key) {
    return map.restamp(map.words(tx), key, ExpiryClock.NEVER);
  }

  /** Returns when an entry expires: {@link Instant#MAX} for never; null if there is none. */
  public @Nullable Instant expiresAt(Tx tx, K key) {
    long at = map.expiresAt(map.words(tx), key);
    return at == ABSENT ? null : at == ExpiryClock.NEVER ? Instant.MAX : Instant.ofEpochMilli(at);
  }

  /**
   * Returns how long an entry lives on: {@link #FOREVER}, or more than 0; null if there is none.
   */
  public @Nullable Duration remaining(Tx tx, K key) {
    Words words = map.words(tx);
    long at = map.expiresAt(words, key);
    return at == ABSENT
        ? null
        : at == ExpiryClock.NEVER ? FOREVER : Duration.ofMillis(at - expiry.clock().now(words));
  }

  /** Counts the entries that take memory, expired or not, in constant time. */
  public long storedEntries(Tx tx) {
    return map.storedEntries(map.words(tx));
  }

  /**
   * Removes all entries that have expired, in small transactions: does at once, in the calling
   * thread, what the store does in the background. Do not call it in a body.
   *
   * @return how many it has removed
   */
  public long reclaim() {
    Pass pass = new Pass(false);
    pass.begin();
    while (pass.step() == ReclaimTask.Progress.MORE) {
      // The next step goes on where this one has ended.
    }
    return pass.reclaimed();
  }

  // ---- For the map.

  /** Lets the store reclaim entries in the background. */
  void reclaimInBackground() {
    expiry.reclaimer().add(new Pass(true));
  }

  private long stamp(Words words, Duration duration) {
    return noted(words, expiry.clock().after(words, duration));
  }

  /** Has the commit note when an entry expires, and returns that. */
  private long noted(Words words, long at) {
    if (at != ExpiryClock.NEVER) {
      AttemptTime time = CollectionScratch.of(words).time;
      time.earliestExpiry = Math.min(time.earliestExpiry, at);
      words.afterCommit(note);
    }
    return at;
  }

  /**
   * Notes when entries expire that a transaction has put, once it has committed. A pass either
   * begins after the commit, and sees the entries, or it begins before the commit; then the note
   * stays for the next pass, however long the transaction was open. The time is the earliest one in
   * all maps that the transaction has changed, so a pass may come too early, and not too late.
   */
  private final class Note implements AfterCommit {

    @Override
    public boolean committed(Words words) {
      long at = CollectionScratch.of(words).time.earliestExpiry;
      if (at < earliest.get()) {
        earliest.accumulateAndGet(at, Math::min);
      }
      return true;
    }

    @Override
    public void run(Words words, int inserted, Attempts attempts) {
      // Nothing is left to do.
    }
  }

  /** Returns when an entry expires that is put now. */
  long byDefault(Words words) {
    Duration duration = expiry.declaration().duration();
    return duration == null ? ExpiryClock.NEVER : stamp(words, duration);
  }

  long now(Words words) {
    return expiry.clock().now(words);
  }

  /** Moves the horizon to the time of the attempt; see {@link ExpiryClock}. */
  void moveHorizon(Words words) {
    long _ = expiry.clock().moveHorizon(words);
  }

  boolean isPast(Words words, long expiresAt) {
    return expiry.clock().isPast(words, expiresAt);
  }

  boolean isReclaimable(Words words, long expiresAt) {
    return expiry.clock().isReclaimable(words, expiresAt);
  }

  /**
   * What a step has seen.
   *
   * @param past the stored keys of entries that have expired
   * @param next where the walk goes on; null at its end
   * @param entries how many there were
   * @param left when the first of the others expires
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  private record Looked(List<byte[]> past, byte @Nullable [] next, long entries, long left) {}

  /** Passes through the map, one after the other. For one thread. */
  private final class Pass implements ReclaimTask {
    private final boolean isInBackground;
    private byte @Nullable [] position;
    private boolean hasMovedHorizon;
    private long looked;
    private long reclaimed;
    private long failed;

    /** Why the first of the entries that could not be removed was not. */
    private @Nullable RuntimeException failure;

    /** The earliest time at which an entry expires that the pass has left there. */
    private long left;

    Pass(boolean isInBackground) {
      this.isInBackground = isInBackground;
    }

    @Override
    public String name() {
      return map.name();
    }

    @Override
    public long looked() {
      return looked;
    }

    @Override
    public long reclaimed() {
      return reclaimed;
    }

    @Override
    public boolean isWorthwhile() {
      return Math.min(earliest.get(), left) <= expiry.clock().read();
    }

    @Override
    public void begin() {
      position = null;
      hasMovedHorizon = false;
      looked = 0;
      reclaimed = 0;
      failed = 0;
      failure = null;
      left = Long.MAX_VALUE;
      if (isInBackground) {
        earliest.set(Long.MAX_VALUE);
      }
    }

    @Override
    public Progress step() {
      try {
        Looked seen = look();
        position = seen.next();
        looked += seen.entries();
        left = Math.min(left, seen.left());
        if (!seen.past().isEmpty()) {
          reclaim(seen.past());
        }
      } catch (CollectionMismatchException e) {
        return Progress.GONE; // dropped, or opened again with other indexes
      }
      if (position != null) {
        return Progress.MORE;
      }
      if (failed > 0) {
        sayFailed();
      }
      return Progress.PASS_ENDED;
    }

    @Override
    public void passFailed(Throwable thrown, boolean isFirst) {
      if (isFirst) {
        expiry
            .programLog()
            .say(
                System.Logger.Level.WARNING,
                () ->
                    map
                        + ": expired entries could not be removed; they stay invisible and take"
                        + " memory. It is tried again, after each failure later, up to an hour: "
                        + thrown);
      }
    }

    /** Looks at some entries. */
    private Looked look() {
      // Not in the default durability: nothing that this reads need be durable.
      return map.transactions()
          .call(
              TxOptions.async().withReadOnly(),
              tx -> {
                Words words = map.words(tx);
                List<byte[]> past = new ArrayList<>();
                long[] seen = {0, Long.MAX_VALUE};
                byte @Nullable [] next =
                    map.walkStored(
                        tx,
                        position,
                        LOOKED_AT_ONCE,
                        (_, key, at) -> {
                          seen[0]++;
                          if (isPast(words, at)) {
                            past.add(key);
                          } else if (at != ExpiryClock.NEVER) {
                            seen[1] = Math.min(seen[1], at);
                          }
                        });
                return new Looked(past, next, seen[0], seen[1]);
              });
    }

    private void reclaim(List<byte[]> past) {
      if (!hasMovedHorizon) {
        long _ =
            map.transactions()
                .call(TxOptions.async(), tx -> expiry.clock().moveHorizon(map.words(tx)));
        hasMovedHorizon = true;
      }
      for (int from = 0; from < past.size(); from += RECLAIMED_AT_ONCE) {
        List<byte[]> some = past.subList(from, Math.min(past.size(), from + RECLAIMED_AT_ONCE));
        try {
          remove(some);
        } catch (StoreClosedException | StoreFailedException | CollectionMismatchException e) {
          throw e;
        } catch (RuntimeException e) { // of an index's function, or the transaction is too large
          reclaimEach(some);
        }
      }
    }

    private void reclaimEach(List<byte[]> keys) {
      for (byte[] key : keys) {
        try {
          remove(List.of(key));
        } catch (StoreClosedException | StoreFailedException | CollectionMismatchException e) {
          throw e;
        } catch (
            RuntimeException e) { // the entry stays, and is not seen; the next pass tries again
          failed++;
          failure = failure == null ? e : failure;
        }
      }
    }

    private void remove(List<byte[]> keys) {
      // Not held by a journal: it would wait for one map, and other maps for it.
      long removed =
          map.transactions()
              .call(TxOptions.async(), tx -> tx.<Long, RuntimeException>orElse(of(keys), _ -> 0L));
      reclaimed += removed;
      expiry.reclaimer().reclaimed(removed);
      if (removed < keys.size()) { // one has expired since the horizon moved: the next pass is due
        left = Math.min(left, expiry.clock().read());
      }
    }

    private TxFunction<Long, RuntimeException> of(List<byte[]> keys) {
      return tx -> {
        long count = 0;
        for (byte[] key : keys) {
          count += map.reclaim(map.words(tx), key) ? 1 : 0;
        }
        return count;
      };
    }

    private void sayFailed() {
      long entries = failed;
      RuntimeException reason = failure;
      expiry
          .programLog()
          .say(
              System.Logger.Level.WARNING,
              () ->
                  map
                      + ": "
                      + entries
                      + " expired entries could not be removed; they stay invisible and take"
                      + " memory. The next pass tries again. The first of them failed with "
                      + reason);
    }
  }
}
