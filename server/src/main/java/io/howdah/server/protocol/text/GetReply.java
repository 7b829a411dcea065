package io.howdah.server.protocol.text;

import io.howdah.server.cache.CacheFullException;
import io.howdah.server.protocol.Continuation;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.ValueReply;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The later parts of a reply to many keys, or to one with a large value. */
final class GetReply implements Continuation {

  /** A reply to many keys that has become this long goes to the client before more is read. */
  static final int MAX_PART_BYTES = 1 << 16;

  /** After so many keys of one command other connections have their turn. */
  static final int MAX_PART_KEYS = 1 << 8;

  private final KeyLookup lookup;
  private final byte[] keys;
  private final boolean withCas;
  private final boolean touches;
  private final long expiry;
  private int at;
  private boolean isWaiting;

  /** The large value that is being sent. */
  private @Nullable ValueReply value;

  /**
   * Makes one.
   *
   * @param keys that were not looked for, separated by spaces; none has more than 250 bytes
   * @param value of the last key before these, or null
   */
  GetReply(
      KeyLookup lookup,
      byte[] keys,
      @Nullable ValueReply value,
      boolean withCas,
      boolean touches,
      long expiry) {
    this.lookup = lookup;
    this.keys = keys;
    this.value = value;
    this.withCas = withCas;
    this.touches = touches;
    this.expiry = expiry;
  }

  @Override
  public boolean next(Reply part) {
    ValueReply sending = value;
    if (sending != null) {
      if (!sending.next(part)) {
        value = null;
      }
      return true;
    }
    int start = part.length();
    try {
      if (find(part)) {
        return true;
      }
      part.add("END").endLine();
    } catch (CacheFullException _) { // an expiry needs some bytes, too
      lookup.countNoMemory();
      part.truncate(start);
      part.add("SERVER_ERROR out of memory").endLine();
    }
    return false;
  }

  /** Looks for the next keys, and returns whether there are more, or a large value. */
  private boolean find(Reply part) {
    isWaiting = false;
    int start = part.length();
    int asked = 0;
    int hits = 0;
    while (at < keys.length
        && asked < MAX_PART_KEYS
        && part.length() - start < MAX_PART_BYTES
        && value == null
        && !isWaiting) {
      int end = at;
      while (end < keys.length && keys[end] != ' ') {
        end++;
      }
      if (end > at) {
        byte[] key = Arrays.copyOfRange(keys, at, end);
        switch (lookup.find(part, key, withCas, touches, expiry)) {
          case HIT -> hits++;
          case LARGE_HIT -> {
            hits++;
            value = lookup.takeValue();
          }
          case MISS -> {}
          case BUSY -> isWaiting = true;
        }
        asked += isWaiting ? 0 : 1;
      }
      at = isWaiting ? at : end + 1;
    }
    lookup.count(asked, hits, touches);
    return at < keys.length || value != null;
  }

  @Override
  public boolean isWaiting() {
    return isWaiting;
  }

  @Override
  public int heldBytes() {
    return keys.length;
  }

  @Override
  public void release() {
    ValueReply unsent = value;
    value = null;
    if (unsent != null) {
      unsent.release();
    }
  }
}
