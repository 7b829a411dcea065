package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import org.jspecify.annotations.Nullable;

/** The commands of the text protocol. Replies are those of memcached 1.6. */
final class TextCommands {

  static final int MAX_KEY_BYTES = 250;

  static final String BAD_FORMAT = "CLIENT_ERROR bad command line format";
  static final String NOT_A_NUMBER = "CLIENT_ERROR cannot increment or decrement non-numeric value";

  private final Session session;
  private final Cache cache;
  private final ProtocolOptions options;
  private final CommandCounters counters;
  private final Tokens tokens;
  private final MetaCommands meta;
  private final Statistics statistics;

  /** The command at hand wants no reply. */
  private boolean isQuiet;

  TextCommands(
      Session session,
      Cache cache,
      ProtocolOptions options,
      CommandCounters counters,
      Tokens tokens) {
    this.session = session;
    this.cache = cache;
    this.options = options;
    this.counters = counters;
    this.tokens = tokens;
    this.meta = new MetaCommands(session, cache, counters, tokens);
    this.statistics = new Statistics(cache, options, counters);
  }

  /** Runs the command of the line that is in the tokens. */
  void run(Reply reply) {
    isQuiet = false;
    int count = tokens.count();
    if (count == 0 || tokens.length(0) < 2) {
      error(reply);
      return;
    }
    if (tokens.length(0) == 2 && tokens.at(0, 0) == 'm') {
      meta.run(reply);
      return;
    }
    switch (tokens.length(0) > 16 ? "" : tokens.text(0)) {
      case "get" -> get(reply, false, false);
      case "gets" -> get(reply, true, false);
      case "gat" -> get(reply, false, true);
      case "gats" -> get(reply, true, true);
      case "set" -> startStore(reply, StoreMode.SET);
      case "add" -> startStore(reply, StoreMode.ADD);
      case "replace" -> startStore(reply, StoreMode.REPLACE);
      case "append" -> startStore(reply, StoreMode.APPEND);
      case "prepend" -> startStore(reply, StoreMode.PREPEND);
      case "cas" -> startStore(reply, StoreMode.CAS);
      case "incr" -> arithmetic(reply, true);
      case "decr" -> arithmetic(reply, false);
      case "delete" -> delete(reply);
      case "touch" -> touch(reply);
      case "flush_all" -> flushAll(reply);
      case "verbosity" -> verbosity(reply);
      case "version" -> say(reply, "VERSION " + options.version());
      case "stats" -> stats(reply);
      case "shutdown" -> say(reply, "ERROR: shutdown not enabled");
      case "quit" -> session.close();
      default -> unknown(reply);
    }
  }

  private void unknown(Reply reply) {
    int last = tokens.count() - 1;
    if (tokens.length(last) >= 5 && tokens.text(last).startsWith("HTTP/")) {
      session.close(); // a browser, or a page that a browser was made to load
    } else {
      error(reply);
    }
  }

  private void error(Reply reply) {
    say(reply, "ERROR");
  }

  private void say(Reply reply, String line) {
    if (!isQuiet) {
      reply.add(line).endLine();
    }
  }

  /** Returns whether the line has one of two numbers of words; replies if not. */
  private boolean has(Reply reply, int count, int orCount) {
    if (tokens.count() == count || tokens.count() == orCount) {
      return true;
    }
    error(reply);
    return false;
  }

  private void noticeQuiet() {
    isQuiet = tokens.is(tokens.count() - 1, "noreply");
  }

  private boolean keyFits(Reply reply) {
    if (tokens.length(1) <= MAX_KEY_BYTES) {
      return true;
    }
    say(reply, BAD_FORMAT);
    return false;
  }

  private void get(Reply reply, boolean withCas, boolean touches) {
    int first = touches ? 2 : 1;
    // memcached takes "gat 0" without a key for a command without its argument.
    if (tokens.count() < 2) {
      error(reply);
      return;
    }
    Integer expiry = null;
    if (touches) {
      expiry = tokens.signed32(1, 0);
      if (expiry == null) {
        say(reply, "CLIENT_ERROR invalid exptime argument");
        return;
      }
      if (tokens.count() == 2) {
        error(reply);
        return;
      }
    }
    int start = reply.length();
    for (int i = first; i < tokens.count(); i++) {
      if (tokens.length(i) > MAX_KEY_BYTES) {
        reply.truncate(start);
        say(reply, BAD_FORMAT);
        return;
      }
      byte[] key = tokens.bytes(i);
      Item item = expiry == null ? cache.get(key) : touch(key, expiry);
      count(item != null, expiry != null);
      if (item != null) {
        cache.accessed(key);
        addValue(reply, key, item, withCas);
      }
    }
    reply.add("END").endLine();
  }

  private void count(boolean found, boolean touches) {
    counters.count(touches ? Counter.CMD_TOUCH : Counter.CMD_GET);
    if (touches) {
      counters.count(found ? Counter.TOUCH_HITS : Counter.TOUCH_MISSES);
    }
    counters.count(found ? Counter.GET_HITS : Counter.GET_MISSES);
  }

  private static void addValue(Reply reply, byte[] key, Item item, boolean withCas) {
    reply.add("VALUE ").add(key).add(' ').add(Integer.toUnsignedString(item.flags())).add(' ');
    reply.addUnsigned(item.value().length);
    if (withCas) {
      reply.add(' ').addUnsigned(item.cas());
    }
    reply.endLine().add(item.value()).endLine();
  }

  private @Nullable Item touch(byte[] key, int expiry) {
    long expiresAt = Expiry.of(expiry, cache.now());
    return cache.update(key, item -> item == null ? null : item.withExpiry(expiresAt));
  }

  private void startStore(Reply reply, StoreMode mode) {
    int words = mode == StoreMode.CAS ? 6 : 5;
    if (!has(reply, words, words + 1)) {
      return;
    }
    noticeQuiet();
    if (!keyFits(reply)) {
      return;
    }
    Integer flags = tokens.unsigned32(2, 0);
    Integer expiry = tokens.signed32(3, 0);
    Integer length = tokens.signed32(4, 0);
    Long cas = mode == StoreMode.CAS ? tokens.unsigned64(5, 0) : Long.valueOf(0);
    if (flags == null
        || expiry == null
        || cas == null
        || length == null
        || length < 0
        || length > Integer.MAX_VALUE - 2) {
      say(reply, BAD_FORMAT);
      return;
    }
    byte[] key = tokens.bytes(1);
    if (!options.fits(key.length, length)) {
      counters.count(Counter.STORE_TOO_LARGE);
      session.swallow(length + 2L);
      if (mode == StoreMode.SET) {
        session.removeStale(key);
      }
      say(reply, "SERVER_ERROR object too large for cache");
      return;
    }
    StoreCommand command = new StoreCommand(mode, key, flags, expiry, length);
    command.cas = cas;
    command.isQuiet = isQuiet;
    session.awaitValue(command);
  }

  /**
   * Ends a command that stores.
   *
   * @param value null if what followed it was no line end
   */
  void store(StoreCommand command, byte @Nullable [] value, Reply reply) {
    counters.count(Counter.CMD_SET);
    if (command.meta != null) {
      meta.store(command, value, reply);
      return;
    }
    isQuiet = command.isQuiet;
    if (value == null) {
      say(reply, "CLIENT_ERROR bad data chunk");
      return;
    }
    StoreCommand.Outcome outcome;
    try {
      outcome = command.run(cache, value, options);
    } catch (CacheFullException _) {
      counters.count(Counter.STORE_NO_MEMORY);
      if (command.mode == StoreMode.SET) {
        session.removeStale(command.key);
      }
      say(reply, "SERVER_ERROR out of memory storing object");
      return;
    }
    countStore(counters, command, outcome);
    say(
        reply,
        outcome == StoreCommand.Outcome.TOO_LARGE
            ? "SERVER_ERROR out of memory storing object"
            : outcome.name());
  }

  static void countStore(
      CommandCounters counters, StoreCommand command, StoreCommand.Outcome outcome) {
    if (outcome == StoreCommand.Outcome.TOO_LARGE) {
      counters.count(Counter.STORE_TOO_LARGE);
    } else if (command.mode == StoreMode.CAS) {
      counters.count(
          switch (outcome) {
            case STORED -> Counter.CAS_HITS;
            case NOT_FOUND -> Counter.CAS_MISSES;
            default -> Counter.CAS_BADVAL;
          });
    }
  }

  private void arithmetic(Reply reply, boolean adds) {
    if (!has(reply, 3, 4)) {
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
    command.run(cache);
    countArithmetic(counters, command);
    switch (command.outcome()) {
      case DONE, CREATED -> say(reply, Long.toUnsignedString(command.result()));
      case NOT_FOUND, CAS_MISMATCH -> say(reply, "NOT_FOUND");
      case NOT_A_NUMBER -> say(reply, NOT_A_NUMBER);
    }
  }

  static void countArithmetic(CommandCounters counters, Arithmetic command) {
    switch (command.outcome()) {
      case DONE -> counters.count(command.adds ? Counter.INCR_HITS : Counter.DECR_HITS);
      case NOT_FOUND, CREATED ->
          counters.count(command.adds ? Counter.INCR_MISSES : Counter.DECR_MISSES);
      case NOT_A_NUMBER, CAS_MISMATCH -> {}
    }
  }

  private void delete(Reply reply) {
    int count = tokens.count();
    if (count < 2 || count > 4) {
      error(reply);
      return;
    }
    if (count > 2) {
      noticeQuiet();
      boolean holdsZero = tokens.is(2, "0");
      if (!(count == 3 ? holdsZero || isQuiet : holdsZero && isQuiet)) {
        say(reply, BAD_FORMAT + ".  Usage: delete <key> [noreply]");
        return;
      }
    }
    if (!keyFits(reply)) {
      return;
    }
    boolean[] found = {false};
    cache.update(
        tokens.bytes(1),
        item -> {
          found[0] = item != null;
          return null;
        });
    counters.count(found[0] ? Counter.DELETE_HITS : Counter.DELETE_MISSES);
    say(reply, found[0] ? "DELETED" : "NOT_FOUND");
  }

  private void touch(Reply reply) {
    if (!has(reply, 3, 4)) {
      return;
    }
    noticeQuiet();
    if (!keyFits(reply)) {
      return;
    }
    Integer expiry = tokens.signed32(2, 0);
    if (expiry == null) {
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

  private void flushAll(Reply reply) {
    int count = tokens.count();
    if (count > 3) {
      error(reply);
      return;
    }
    if (count > 1) {
      noticeQuiet();
    }
    counters.count(Counter.CMD_FLUSH);
    if (!options.flushAllowed()) {
      say(reply, "CLIENT_ERROR flush_all not allowed");
      return;
    }
    long delay = 0;
    if (count != (isQuiet ? 2 : 1)) {
      Integer number = tokens.signed32(1, 0);
      if (number == null) {
        say(reply, "CLIENT_ERROR invalid exptime argument");
        return;
      }
      delay = number;
    }
    long now = cache.now();
    cache.flush(delay > 0 ? Expiry.of(delay, now) : now);
    say(reply, "OK");
  }

  private void verbosity(Reply reply) {
    if (!has(reply, 2, 3)) {
      return;
    }
    noticeQuiet();
    say(reply, tokens.unsigned32(1, 0) == null ? BAD_FORMAT : "OK");
  }

  private void stats(Reply reply) {
    if (tokens.count() == 1) {
      statistics.general(reply);
    } else {
      switch (tokens.text(1)) {
        case "settings" -> statistics.settings(reply);
        case "items", "slabs", "sizes", "conns" -> reply.add("END").endLine();
        case "reset" -> {
          counters.reset();
          say(reply, "RESET");
        }
        default -> error(reply);
      }
    }
  }
}
