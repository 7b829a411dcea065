package io.howdah.server.protocol.text;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import io.howdah.server.protocol.Arithmetic;
import io.howdah.server.protocol.Numbers;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Refusals;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.SessionContext;
import io.howdah.server.protocol.StoreCommand;
import io.howdah.server.protocol.StoreCommand.MetaReply;
import io.howdah.server.protocol.StoreMode;
import io.howdah.server.protocol.StoreRun;
import io.howdah.server.protocol.Tokens;
import io.howdah.server.protocol.ValueReply;
import io.howdah.server.protocol.meta.MetaCommands;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The text protocol's commands on items. Replies are those of memcached 1.6. */
public final class TextCommands {

  private static final byte[] NO_KEYS = {};

  private static final long GET = word("get");
  private static final long GETS = word("gets");
  private static final long GAT = word("gat");
  private static final long GATS = word("gats");
  private static final long SET = word("set");
  private static final long ADD = word("add");
  private static final long REPLACE = word("replace");
  private static final long APPEND = word("append");
  private static final long PREPEND = word("prepend");
  private static final long CAS = word("cas");
  private static final long INCR = word("incr");
  private static final long DECR = word("decr");
  private static final long DELETE = word("delete");
  private static final long TOUCH = word("touch");
  private static final long VERSION = word("version");
  private static final long QUIT = word("quit");

  private final SessionContext session;
  private final TextDecoder decoder;
  private final Cache cache;
  private final ProtocolOptions options;
  private final CommandCounters counters;
  private final Tokens tokens;
  private final KeyLookup lookup;
  private final MetaCommands meta;
  private final AdminCommands admin;

  /** The command at hand wants no reply. */
  private boolean isQuiet;

  TextCommands(
      SessionContext session, TextDecoder decoder, CommandCounters counters, Tokens tokens) {
    this.session = session;
    this.decoder = decoder;
    this.cache = session.cache();
    this.options = session.options();
    this.counters = counters;
    this.tokens = tokens;
    this.lookup = new KeyLookup(cache, counters);
    this.meta = new MetaCommands(session, decoder, counters, tokens);
    this.admin = new AdminCommands(session, decoder, counters, tokens);
  }

  /** Returns the number by which {@link Tokens#word} knows a command of up to eight letters. */
  private static long word(String text) {
    long word = 0;
    for (int i = text.length() - 1; i >= 0; i--) {
      word = word << Byte.SIZE | text.charAt(i);
    }
    return word;
  }

  /** Runs the command of the line that is in the tokens. */
  void run(Reply reply) {
    isQuiet = false;
    int length = tokens.count() == 0 ? 0 : tokens.length(0);
    if (length < 2) {
      noticeQuiet();
      say(reply, "ERROR");
      return;
    }
    if (length == 2 && tokens.at(0, 0) == 'm') {
      meta.run(reply);
      return;
    }
    long word = length > Long.BYTES ? 0 : tokens.word(0);
    if (word == GET) {
      get(reply, false, false);
    } else if (word == SET) {
      startStore(reply, StoreMode.SET);
    } else if (word == GETS) {
      get(reply, true, false);
    } else if (word == DELETE) {
      delete(reply);
    } else if (word == INCR) {
      arithmetic(reply, true);
    } else if (word == DECR) {
      arithmetic(reply, false);
    } else if (word == ADD) {
      startStore(reply, StoreMode.ADD);
    } else if (word == REPLACE) {
      startStore(reply, StoreMode.REPLACE);
    } else if (word == APPEND) {
      startStore(reply, StoreMode.APPEND);
    } else if (word == PREPEND) {
      startStore(reply, StoreMode.PREPEND);
    } else if (word == CAS) {
      startStore(reply, StoreMode.CAS);
    } else if (word == TOUCH) {
      touch(reply);
    } else if (word == GAT) {
      get(reply, false, true);
    } else if (word == GATS) {
      get(reply, true, true);
    } else if (word == VERSION) {
      reply.add("VERSION ").add(options.version()).endLine();
    } else if (word == QUIT) {
      decoder.noteQuit();
      decoder.close();
    } else {
      admin.run(reply);
    }
  }

  private void say(Reply reply, String line) {
    if (!isQuiet) {
      reply.add(line).endLine();
    }
  }

  /** Returns whether the line has enough words; replies if not. */
  private boolean has(Reply reply, int count) {
    if (tokens.count() >= count) {
      return true;
    }
    say(reply, Refusals.BAD_FORMAT);
    return false;
  }

  private void noticeQuiet() {
    isQuiet = tokens.is(tokens.count() - 1, "noreply");
  }

  private boolean keyFits(Reply reply) {
    if (tokens.isKey(1)) {
      return true;
    }
    say(reply, Refusals.BAD_FORMAT);
    return false;
  }

  private void get(Reply reply, boolean withCas, boolean touches) {
    int first = touches ? 2 : 1;
    if (!has(reply, first + 1)) {
      return;
    }
    long expiry = touches ? tokens.signed32(1, 0) : 0;
    if (expiry == Numbers.NOT_A_NUMBER) {
      say(reply, "CLIENT_ERROR invalid exptime argument");
      return;
    }
    int start = reply.length();
    int hits = 0;
    for (int i = first; i < tokens.count(); i++) {
      if (!tokens.isKey(i)) {
        lookup.count(i - first, hits, touches);
        reply.truncate(start);
        say(reply, Refusals.BAD_FORMAT);
        return;
      }
      KeyLookup.Result found = lookup.find(reply, tokens.bytes(i), withCas, touches, expiry);
      if (found == KeyLookup.Result.BUSY) {
        lookup.count(i - first, hits, touches);
        continueGet(reply, start, i, null, withCas, touches, expiry);
        return;
      }
      hits += found == KeyLookup.Result.MISS ? 0 : 1;
      ValueReply value = found == KeyLookup.Result.LARGE_HIT ? lookup.takeValue() : null;
      int asked = i + 1 - first;
      boolean isPart =
          reply.length() - start >= GetReply.MAX_PART_BYTES || asked == GetReply.MAX_PART_KEYS;
      if (value != null || (isPart && i + 1 < tokens.count())) {
        lookup.count(asked, hits, touches);
        continueGet(reply, start, i + 1, value, withCas, touches, expiry);
        return;
      }
    }
    lookup.count(tokens.count() - first, hits, touches);
    reply.add("END").endLine();
  }

  /**
   * Reads the keys of a long line, without words for all of them.
   *
   * @param from where the keys begin
   */
  void getMany(byte[] line, int from, int length, boolean withCas, Reply reply) {
    int at = from;
    while (at < length) {
      int end = at;
      while (end < length && line[end] != ' ') {
        end++;
      }
      if (end - at > ProtocolOptions.MAX_KEY_BYTES || Tokens.hasZero(line, at, end)) {
        reply.add(Refusals.BAD_FORMAT).endLine();
        return;
      }
      at = end + 1;
    }
    byte[] keys = Arrays.copyOfRange(line, from, length);
    decoder.continueWith(new GetReply(lookup, keys, null, withCas, false, 0));
  }

  /** Leaves the keys from one on for later, when the client has taken what was found until now. */
  private void continueGet(
      Reply reply,
      int start,
      int from,
      @Nullable ValueReply value,
      boolean withCas,
      boolean touches,
      long expiry) {
    for (int i = from; i < tokens.count(); i++) {
      if (!tokens.isKey(i)) { // cannot be said any more once values were sent
        if (value != null) {
          value.release();
        }
        reply.truncate(start);
        say(reply, Refusals.BAD_FORMAT);
        return;
      }
    }
    byte[] keys = from < tokens.count() ? tokens.rest(from) : NO_KEYS;
    decoder.continueWith(new GetReply(lookup, keys, value, withCas, touches, expiry));
  }

  private @Nullable Item touch(byte[] key, long expiry) {
    long expiresAt = Expiry.of(expiry, cache.now());
    return cache.update(key, item -> item == null ? null : item.withExpiry(expiresAt));
  }

  private void startStore(Reply reply, StoreMode mode) {
    if (!has(reply, 5)) {
      return;
    }
    long length = tokens.signed32(4, 0);
    if (length < 0 || length > Integer.MAX_VALUE - 2) {
      say(reply, Refusals.BAD_FORMAT);
      return;
    }
    noticeQuiet();
    long flags = tokens.lowUnsigned32(2);
    long expiry = tokens.lowSigned32(3);
    Long cas = mode == StoreMode.CAS ? casValue() : Long.valueOf(0);
    if (!tokens.isKey(1)
        || flags == Numbers.NOT_A_NUMBER
        || expiry == Numbers.NOT_A_NUMBER
        || cas == null) {
      decoder.swallow(length + 2); // so that no value is taken for a command
      say(reply, Refusals.BAD_FORMAT);
      return;
    }
    byte[] key = tokens.bytes(1);
    if (!options.fits(key.length, length)) {
      counters.count(Counter.STORE_TOO_LARGE);
      decoder.swallow(length + 2);
      session.tellTooLarge(key, mode, length);
      if (mode == StoreMode.SET) {
        session.removeStale(key);
      }
      say(reply, Refusals.TOO_LARGE);
      return;
    }
    StoreCommand command = new StoreCommand(mode, key, (int) flags, expiry, (int) length);
    command.cas = cas;
    command.isQuiet = isQuiet;
    decoder.awaitValue(command);
  }

  private @Nullable Long casValue() {
    return tokens.count() > 5 ? tokens.unsigned64(5, 0) : null;
  }

  /**
   * Ends a command that stores.
   *
   * @param isLineEnd whether a line end followed the value
   */
  void store(StoreCommand command, boolean isLineEnd, Reply reply) {
    counters.count(Counter.CMD_SET);
    counters.prefixes().countSet(command.key);
    isQuiet = command.isQuiet;
    if (isLineEnd) {
      StoreRun.run(command, session, decoder, this::stored, reply);
    } else {
      command.release();
      say(reply, "CLIENT_ERROR bad data chunk");
    }
  }

  /** Replies to a command that stores; the outcome is null if there was no memory. */
  private void stored(StoreCommand command, StoreCommand.@Nullable Outcome outcome, Reply reply) {
    isQuiet = command.isQuiet;
    MetaReply metaReply = command.meta;
    if (outcome != null) {
      command.count(counters);
    } else {
      counters.count(Counter.STORE_NO_MEMORY);
      if (command.mode == StoreMode.SET || (metaReply != null && !command.keepsItem())) {
        session.removeStale(command.key);
      }
    }
    if (outcome == null) {
      say(reply, "SERVER_ERROR out of memory storing object");
    } else if (outcome == StoreCommand.Outcome.TOO_LARGE) {
      say(reply, Refusals.TOO_LARGE);
    } else if (metaReply != null) {
      metaReply.stored(command, outcome, reply);
    } else {
      say(reply, outcome.name());
    }
  }

  private void arithmetic(Reply reply, boolean adds) {
    if (!has(reply, 3)) {
      return;
    }
    noticeQuiet();
    if (!keyFits(reply)) {
      return;
    }
    Long delta = tokens.unsigned64(2, 0);
    if (delta == null) {
      say(reply, "CLIENT_ERROR invalid numeric delta argument");
      return;
    }
    Arithmetic command = new Arithmetic(tokens.bytes(1), adds, delta);
    command.run(session);
    command.count(counters);
    switch (command.outcome()) {
      case DONE, CREATED -> say(reply, Long.toUnsignedString(command.result()));
      case NOT_FOUND, CAS_MISMATCH -> say(reply, "NOT_FOUND");
      case NOT_A_NUMBER -> say(reply, Refusals.NOT_A_NUMBER);
    }
  }

  private void delete(Reply reply) {
    if (!has(reply, 2)) {
      return;
    }
    int count = tokens.count();
    noticeQuiet();
    // Old clients send a delay of 0. memcached 1.6.45 ignores all arguments; its releases until
    // 2022 refuse them, and libmemcached's own check expects that.
    boolean isKnown =
        count == 2
            || (count == 3 && (isQuiet || tokens.is(2, "0")))
            || (count == 4 && isQuiet && tokens.is(2, "0"));
    if (!isKnown) {
      say(reply, Refusals.BAD_FORMAT + ".  Usage: delete <key> [noreply]");
      return;
    }
    if (!keyFits(reply)) {
      return;
    }
    byte[] key = tokens.bytes(1);
    boolean[] found = {false};
    cache.update(
        key,
        item -> {
          found[0] = item != null;
          return null;
        });
    counters.prefixes().countDelete(key);
    counters.count(found[0] ? Counter.DELETE_HITS : Counter.DELETE_MISSES);
    say(reply, found[0] ? "DELETED" : "NOT_FOUND");
  }

  private void touch(Reply reply) {
    if (!has(reply, 3)) {
      return;
    }
    noticeQuiet();
    if (!keyFits(reply)) {
      return;
    }
    long expiry = tokens.lowSigned32(2);
    if (expiry == Numbers.NOT_A_NUMBER) {
      say(reply, "CLIENT_ERROR invalid exptime argument");
      return;
    }
    byte[] key = tokens.bytes(1);
    boolean found = touch(key, expiry) != null;
    if (found) {
      cache.accessed(key);
    }
    counters.count(Counter.CMD_TOUCH);
    counters.count(found ? Counter.TOUCH_HITS : Counter.TOUCH_MISSES);
    say(reply, found ? "TOUCHED" : "NOT_FOUND");
  }
}
