package io.howdah.server.protocol.text;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheBusyException;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.ValueReply;
import org.jspecify.annotations.Nullable;

/** Looks for keys, for the text protocol's commands get, gets, gat and gats. */
final class KeyLookup {

  enum Result {
    HIT,
    /** The head of the reply is there; {@link #takeValue} has the rest. */
    LARGE_HIT,
    MISS,
    /** To be tried again later. */
    BUSY
  }

  private final Cache cache;
  private final CommandCounters counters;
  private @Nullable ValueReply value;

  KeyLookup(Cache cache, CommandCounters counters) {
    this.cache = cache;
    this.counters = counters;
  }

  /**
   * Looks for one key, and appends what was found.
   *
   * @param expiry as in the command, for what touches
   */
  Result find(Reply reply, byte[] key, boolean withCas, boolean touches, long expiry) {
    Item item;
    try {
      item = touches ? touch(key, expiry) : cache.get(key);
    } catch (CacheBusyException _) {
      return Result.BUSY;
    }
    return add(reply, key, item, withCas);
  }

  /** Appends what was found under a key. */
  Result add(Reply reply, byte[] key, @Nullable Item item, boolean withCas) {
    counters.prefixes().countGet(key, item != null);
    if (item == null) {
      return Result.MISS;
    }
    cache.accessed(key);
    addHead(reply, key, item, withCas);
    if (item.large() != null) {
      value = new ValueReply(cache.reader(), true);
      return Result.LARGE_HIT;
    }
    reply.add(item.value()).endLine();
    return Result.HIT;
  }

  private @Nullable Item touch(byte[] key, long expiry) {
    long expiresAt = Expiry.of(expiry, cache.now());
    return cache.updateAndGet(key, item -> item == null ? null : item.withExpiry(expiresAt));
  }

  private static void addHead(Reply reply, byte[] key, Item item, boolean withCas) {
    reply.add("VALUE ").add(key).add(' ');
    reply.addUnsigned(Integer.toUnsignedLong(item.flags())).add(' ');
    reply.addUnsigned(item.valueBytes());
    if (withCas) {
      reply.add(' ').addUnsigned(item.cas());
    }
    reply.endLine();
  }

  /** Returns the value of the last hit, which was large. The caller releases it. */
  ValueReply takeValue() {
    ValueReply taken = value;
    value = null;
    if (taken == null) {
      throw new IllegalStateException("the last hit was not large");
    }
    return taken;
  }

  /** Counts keys that were looked for. */
  void count(int keys, int hits, boolean touches) {
    int misses = keys - hits;
    counters.add(touches ? Counter.CMD_TOUCH : Counter.CMD_GET, keys);
    if (hits > 0) {
      counters.add(touches ? Counter.TOUCH_HITS : Counter.GET_HITS, hits);
    }
    if (misses > 0) {
      counters.add(touches ? Counter.TOUCH_MISSES : Counter.GET_MISSES, misses);
    }
  }

  void countNoMemory() {
    counters.count(Counter.STORE_NO_MEMORY);
  }
}
