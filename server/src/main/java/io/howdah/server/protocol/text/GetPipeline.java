package io.howdah.server.protocol.text;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheBusyException;
import io.howdah.server.cache.Item;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the {@code get} commands of one key each with which a pipeline begins. It looks for their
 * items in one transaction, so that the cache misses of one item overlap with those of the others,
 * and then replies to one after the other. Every other command is left to {@link TextCommands}. For
 * one thread at a time.
 */
final class GetPipeline {

  /** So many keys are looked for together. */
  private static final int MAX_KEYS = 16;

  /** The letters {@code get} and the space behind them. */
  private static final int GET = 0x67657420;

  /** What a reply has beside its value, about. */
  private static final int HEAD_BYTES = 64;

  private static final int LINE_END_BYTES = 2;
  private static final byte[] NO_KEYS = {};

  private final TextDecoder decoder;
  private final Cache cache;
  private final KeyLookup lookup;
  private final List<byte[]> keys = new ArrayList<>(MAX_KEYS);

  /** Where the commands end in the input. */
  private final int[] ends = new int[MAX_KEYS];

  /** The longest value of the last commands: few long ones are looked for together. */
  private int valueBytes;

  GetPipeline(TextDecoder decoder, Cache cache, KeyLookup lookup) {
    this.decoder = decoder;
    this.cache = cache;
    this.lookup = lookup;
  }

  /**
   * Runs the commands with which the input begins, which is at the begin of a line. The last one
   * may go on with a large value.
   *
   * @param maxReplyBytes no command starts once the reply has this many bytes
   * @return how many have ended
   */
  int run(ByteBuffer input, Reply reply, int maxReplyBytes, int maxCommands) {
    int room = 1 + (maxReplyBytes - reply.length()) / (HEAD_BYTES + valueBytes);
    try {
      collect(input, Math.min(room, Math.min(maxCommands, MAX_KEYS)));
      if (keys.isEmpty()) {
        return 0;
      }
      if (keys.size() > 1) {
        cache.find(keys);
      }
      return reply(input, reply, maxReplyBytes);
    } finally {
      keys.clear();
    }
  }

  /** Replies to the commands, to the first one in any case; returns how many have ended. */
  private int reply(ByteBuffer input, Reply reply, int maxReplyBytes) {
    int ended = 0;
    int hits = 0;
    int longest = 0;
    boolean isLarge = false;
    for (int i = 0; i < keys.size() && reply.length() < maxReplyBytes && !isLarge; i++) {
      byte[] key = keys.get(i);
      Item item;
      try {
        item = keys.size() > 1 ? cache.found(i) : cache.get(key);
      } catch (CacheBusyException _) {
        break; // as a command of its own it waits
      }
      input.position(ends[i]);
      KeyLookup.Result result = lookup.add(reply, key, item, false);
      isLarge = result == KeyLookup.Result.LARGE_HIT;
      hits += result == KeyLookup.Result.MISS ? 0 : 1;
      if (isLarge) {
        decoder.continueWith(new GetReply(lookup, NO_KEYS, lookup.takeValue(), false, false, 0));
      } else {
        longest = Math.max(longest, item == null ? 0 : item.valueBytes());
        reply.add("END").endLine();
        ended++;
      }
    }
    valueBytes = longest;
    lookup.count(ended + (isLarge ? 1 : 0), hits, false);
    return ended;
  }

  /** Finds complete commands, and copies their keys. */
  private void collect(ByteBuffer input, int max) {
    int limit = input.limit();
    int at = input.position();
    while (keys.size() < max && limit - at > Integer.BYTES && input.getInt(at) == GET) {
      int from = at + Integer.BYTES;
      int last = Math.min(limit, from + ProtocolOptions.MAX_KEY_BYTES + LINE_END_BYTES);
      int feed = LineFeed.find(input, from, last);
      if (feed == last) {
        return;
      }
      int end = input.get(feed - 1) == '\r' ? feed - 1 : feed;
      int length = end - from;
      if (length < 1 || length > ProtocolOptions.MAX_KEY_BYTES) {
        return;
      }
      byte[] key = new byte[length];
      input.get(from, key);
      for (byte letter : key) {
        if (letter == ' ' || letter == 0) {
          return;
        }
      }
      ends[keys.size()] = feed + 1;
      keys.add(key);
      at = feed + 1;
    }
  }
}
