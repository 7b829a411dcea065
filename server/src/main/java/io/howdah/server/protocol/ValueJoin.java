package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ValueReader;
import io.howdah.server.cache.ValueWriter;
import io.howdah.server.protocol.StoreCommand.Outcome;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Appends to, or prepends to, an item where the value there or the one sent is large: copies both
 * to a new value, a piece in each step, and gives that to the item if the item has its old value
 * still. Otherwise it begins again.
 */
final class ValueJoin {

  /** After so many changes by others the command gives up. */
  private static final int MAX_ATTEMPTS = 16;

  private final StoreCommand command;
  private final Cache cache;
  private final ProtocolOptions options;
  private int attempts;

  /** The item whose value is copied, or null before that. */
  private @Nullable Item old;

  private @Nullable ValueReader oldReader;
  private @Nullable ValueReader sentReader;
  private @Nullable ValueWriter target;

  /** How many of the two values were copied. */
  private int copied;

  ValueJoin(StoreCommand command, Cache cache, ProtocolOptions options) {
    this.command = command;
    this.cache = cache;
    this.options = options;
  }

  /**
   * Does the next step.
   *
   * @return false once the command has an outcome
   * @throws io.howdah.server.cache.CacheBusyException to be called again later
   * @throws CacheFullException if there is no room; then only {@link #release} may follow
   */
  boolean step() {
    Item copiedItem = old;
    ValueWriter writer = target;
    if (copiedItem == null || writer == null) {
      return begin();
    }
    if (copied < 2) {
      copy(copiedItem, writer);
      return true;
    }
    if (command.finishJoin(cache, current -> hasValueOf(current, copiedItem), writer.value())) {
      release();
      return false;
    }
    release(); // the item has another value now
    return true;
  }

  private boolean begin() {
    if (attempts == MAX_ATTEMPTS) {
      throw new CacheFullException("other commands change the item all the time");
    }
    if (command.run(cache, options) != Outcome.TO_BE_JOINED) {
      return false;
    }
    Item current = cache.get(command.key); // waits for readers, which is no attempt
    attempts++;
    if (current == null || !options.fits(command.key.length, command.joinedBytes(current))) {
      return true; // changed since: the next step sees it
    }
    oldReader = current.large() == null ? null : cache.reader();
    sentReader = command.large == null ? null : command.large.reader();
    old = current;
    copied = 0;
    target = cache.writer((int) command.joinedBytes(current));
    if (target == null) {
      release(); // both are small now
    }
    return true;
  }

  private static boolean hasValueOf(Item current, Item copied) {
    return copied.large() != null
        ? copied.large().equals(current.large())
        : current.large() == null && Arrays.equals(copied.value(), current.value());
  }

  private void copy(Item copiedItem, ValueWriter writer) {
    boolean isOld = (copied == 0) == (command.mode == StoreMode.APPEND);
    ValueReader reader = isOld ? oldReader : sentReader;
    byte[] piece = reader != null ? reader.next() : isOld ? copiedItem.value() : command.value;
    if (piece != null) {
      writer.add(ByteBuffer.wrap(piece));
    }
    if (piece == null || reader == null) {
      copied++;
    }
  }

  int heldBytes() {
    return command.value.length + (target == null ? 0 : target.heldBytes());
  }

  /** Ends what was begun, and frees what no item has. */
  void release() {
    old = null;
    if (oldReader != null) {
      oldReader.close();
      oldReader = null;
    }
    if (sentReader != null) {
      sentReader.close();
      sentReader = null;
    }
    if (target != null) {
      target.close();
      target = null;
    }
  }
}
