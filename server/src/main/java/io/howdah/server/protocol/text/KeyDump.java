package io.howdah.server.protocol.text;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemFacts;
import io.howdah.server.cache.ItemWalk;
import io.howdah.server.protocol.Continuation;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.watch.KeyText;
import java.util.Base64;

/** A list of all keys, written page by page so that it needs bounded memory. */
final class KeyDump implements Continuation {

  /** What is told of each item. */
  enum Form {
    /** {@code lru_crawler metadump}: a line of names and values. */
    METADUMP,
    /** {@code lru_crawler mgdump}: a meta command that reads the item. */
    MGDUMP,
    /** {@code stats cachedump}. */
    CACHEDUMP
  }

  private static final int PAGE_ITEMS = 64;

  private final Form form;
  private final Cache cache;
  private final ItemWalk walk;
  private long rest;

  /**
   * Makes a list.
   *
   * @param limit of items
   */
  KeyDump(Form form, Cache cache, long limit) {
    this.form = form;
    this.cache = cache;
    this.walk = cache.walk();
    this.rest = limit;
  }

  @Override
  public boolean next(Reply reply) {
    int count = (int) Math.min(rest, PAGE_ITEMS);
    if (walk.next(count, (key, item) -> add(key, item, reply)) && rest > 0) {
      return true;
    }
    reply.add(form == Form.MGDUMP ? "EN" : "END").endLine();
    return false;
  }

  private void add(byte[] key, ItemFacts item, Reply reply) {
    switch (form) {
      case METADUMP -> addMeta(key, item, reply);
      case MGDUMP -> {
        reply.add("mg ");
        if (item.has(Item.BINARY_KEY)) {
          reply.add(Base64.getEncoder().encode(key)).add(" b");
        } else {
          reply.add(key);
        }
        reply.endLine();
      }
      case CACHEDUMP -> {
        if (!item.has(Item.BINARY_KEY)) {
          reply.add("ITEM ").add(key).add(" [").addUnsigned(item.valueBytes()).add(" b; ");
          reply.addUnsigned(item.expiresAt()).add(" s]").endLine();
          rest--; // items that are gone, and keys that cannot be shown, count for none
        }
      }
    }
  }

  private void addMeta(byte[] key, ItemFacts item, Reply reply) {
    reply.add("key=").add(KeyText.of(key)).add(" exp=");
    if (item.expiresAt() == Expiry.NEVER) {
      reply.add("-1");
    } else {
      reply.addUnsigned(item.expiresAt());
    }
    reply.add(" la=").addUnsigned(cache.lastUse(key));
    reply.add(" cas=").addUnsigned(item.cas());
    reply.add(cache.isFetched(key) ? " fetch=yes" : " fetch=no");
    int size = key.length + item.valueBytes() + ProtocolOptions.ITEM_OVERHEAD_BYTES;
    reply.add(" cls=1 size=").addUnsigned(size);
    reply.add(" flags=").addUnsigned(Integer.toUnsignedLong(item.flags()));
    reply.add(" \n"); // as memcached ends these lines, which its tools know
  }
}
