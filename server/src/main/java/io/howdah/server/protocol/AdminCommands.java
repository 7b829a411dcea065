package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.cache.Expiry;

/** The text protocol's commands on the server as a whole. Replies are those of memcached 1.6. */
final class AdminCommands {

  private static final String BAD_LINE = "CLIENT_ERROR bad command line";
  private static final int MAX_COMMAND_BYTES = 16;
  private static final int SLAB_CLASSES = 64;
  private static final int MIN_MEGABYTES = 8;
  private static final int MAX_MEGABYTES = 1_000_000_000;
  private static final int MAX_VERBOSITY = 10;
  private static final long MEGABYTE = 1 << 20;

  private final TextDecoder decoder;
  private final Cache cache;
  private final ProtocolOptions options;
  private final ServerControl control;
  private final CommandCounters counters;
  private final Tokens tokens;
  private final Statistics statistics;

  /** The command at hand wants no reply. */
  private boolean isQuiet;

  AdminCommands(
      SessionContext session, TextDecoder decoder, CommandCounters counters, Tokens tokens) {
    this.decoder = decoder;
    this.cache = session.cache();
    this.options = session.options();
    this.control = session.control();
    this.counters = counters;
    this.tokens = tokens;
    this.statistics = new Statistics(session, counters);
  }

  /** Runs the command of the line that is in the tokens. There is a first word. */
  void run(Reply reply) {
    isQuiet = false;
    switch (tokens.length(0) > MAX_COMMAND_BYTES ? "" : tokens.text(0)) {
      case "stats" -> stats(reply);
      case "flush_all" -> flushAll(reply);
      case "verbosity" -> verbosity(reply);
      case "cache_memlimit" -> memoryLimit(reply);
      case "shutdown" -> shutdown(reply);
      case "lru_crawler" -> lruCrawler(reply);
      case "slabs" -> slabs(reply);
      case "debugtime" -> debugTime(reply);
      default -> unknown(reply);
    }
  }

  private void unknown(Reply reply) {
    int last = tokens.count() - 1;
    if (tokens.length(last) >= 5 && tokens.text(last).startsWith("HTTP/")) {
      decoder.close(); // a browser, or a page that a browser was made to load
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

  /** Returns an unsigned number of 32 bits, or {@link Numbers#NOT_A_NUMBER}. */
  private long number(int index) {
    return index < tokens.count() ? tokens.unsigned32(index, 0) : Numbers.NOT_A_NUMBER;
  }

  private void noticeQuiet() {
    isQuiet = tokens.is(tokens.count() - 1, "noreply");
  }

  private void flushAll(Reply reply) {
    int count = tokens.count();
    noticeQuiet();
    counters.count(Counter.CMD_FLUSH);
    if (!options.flushAllowed()) {
      say(reply, "CLIENT_ERROR flush_all not allowed");
      return;
    }
    long delay = 0;
    if (count != (isQuiet ? 2 : 1)) {
      delay = tokens.signed32(1, 0);
      if (delay == Numbers.NOT_A_NUMBER) {
        say(reply, "CLIENT_ERROR invalid exptime argument");
        return;
      }
    }
    long now = cache.now();
    cache.flush(delay > 0 ? Expiry.of(delay, now) : now);
    say(reply, "OK");
  }

  private void verbosity(Reply reply) {
    noticeQuiet();
    long level = number(1);
    if (level == Numbers.NOT_A_NUMBER) {
      say(reply, TextCommands.BAD_FORMAT);
      return;
    }
    control.setVerbosity((int) Math.min(level, MAX_VERBOSITY));
    say(reply, "OK");
  }

  private void memoryLimit(Reply reply) {
    noticeQuiet();
    long megabytes = number(1);
    if (megabytes == Numbers.NOT_A_NUMBER) {
      error(reply);
    } else if (megabytes < MIN_MEGABYTES) {
      say(reply, "MEMLIMIT_TOO_SMALL cannot set maxbytes to less than 8m");
    } else if (megabytes > MAX_MEGABYTES) {
      say(reply, "MEMLIMIT_ADJUST_FAILED input value is megabytes not bytes");
    } else if (control.setMaxBytes(megabytes * MEGABYTE)) {
      say(reply, "OK");
    } else {
      say(reply, "MEMLIMIT_ADJUST_FAILED out of bounds or unable to adjust");
    }
  }

  private void shutdown(Reply reply) {
    if (!options.shutdownAllowed()) {
      say(reply, "SERVER_ERROR: shutdown not enabled");
      return;
    }
    boolean graceful = tokens.is(1, "graceful");
    if (tokens.count() > 2 || (tokens.count() == 2 && !graceful)) {
      say(reply, "CLIENT_ERROR invalid shutdown mode");
      return;
    }
    control.shutdown(graceful);
    decoder.close();
  }

  private void debugTime(Reply reply) {
    if (!options.debugTimeAllowed() || tokens.count() != 2) {
      error(reply);
      return;
    }
    if (tokens.is(1, "p")) {
      control.pauseClock(true);
    } else if (tokens.is(1, "r")) {
      control.pauseClock(false);
    } else {
      long seconds = tokens.signed32(1, 0);
      if (seconds == Numbers.NOT_A_NUMBER) {
        error(reply);
        return;
      }
      control.moveClock(seconds);
    }
    say(reply, "OK");
  }

  /** There are no slabs: nothing can be moved among them, and nothing is moved by itself. */
  private void slabs(Reply reply) {
    if (tokens.is(1, "reassign") && tokens.count() == 4) {
      say(reply, "CLIENT_ERROR slab reassignment disabled");
    } else if (!tokens.is(1, "automove") || tokens.count() < 3) {
      error(reply);
    } else if (number(2) == 0) {
      say(reply, "OK");
    } else {
      say(
          reply,
          number(2) == Numbers.NOT_A_NUMBER
              ? TextCommands.BAD_FORMAT
              : "CLIENT_ERROR slab reassignment disabled");
    }
  }

  /** There is no crawler to be tuned. What lists keys is served. */
  private void lruCrawler(Reply reply) {
    boolean isMeta = tokens.is(1, "metadump");
    if (tokens.count() != 3 || !(isMeta || tokens.is(1, "mgdump"))) {
      error(reply);
    } else if (!options.dumpAllowed()) {
      say(reply, isMeta ? "ERROR metadump not allowed" : "ERROR key dump not allowed");
    } else if (tokens.is(2, "all") || tokens.is(2, "hash") || tokens.is(2, "1")) {
      reply.add("OK").endLine();
      dump(isMeta ? KeyDump.Form.METADUMP : KeyDump.Form.MGDUMP, Long.MAX_VALUE);
    } else {
      say(reply, "BADCLASS invalid class id");
    }
  }

  private void dump(KeyDump.Form form, long limit) {
    decoder.continueWith(new KeyDump(form, cache, limit));
  }

  private void stats(Reply reply) {
    String kind = tokens.count() == 1 ? "" : tokens.text(1);
    switch (kind) {
      case "reset" -> {
        statistics.reset();
        say(reply, "RESET");
      }
      case "detail" -> detail(reply);
      case "cachedump" -> cacheDump(reply);
      default -> {
        int start = reply.length();
        boolean known =
            statistics.rows(
                kind,
                "",
                (name, value) -> reply.add("STAT ").add(name).add(' ').add(value).endLine());
        if (known) {
          reply.add("END").endLine();
        } else {
          reply.truncate(start);
          error(reply);
        }
      }
    }
  }

  private void detail(Reply reply) {
    if (!options.dumpAllowed()) {
      say(reply, "CLIENT_ERROR stats detail not allowed");
    } else if (tokens.is(2, "on") || tokens.is(2, "off")) {
      counters.prefixes().enable(tokens.is(2, "on"));
      say(reply, "OK");
    } else if (tokens.is(2, "dump")) {
      reply.add(counters.prefixes().dump()).add("END").endLine();
    } else {
      say(reply, "CLIENT_ERROR usage: stats detail on|off|dump");
    }
  }

  private void cacheDump(Reply reply) {
    if (!options.dumpAllowed()) {
      say(reply, "CLIENT_ERROR stats cachedump not allowed");
      return;
    }
    if (tokens.count() < 4) {
      say(reply, BAD_LINE);
      return;
    }
    long slabClass = tokens.unsigned32(2, 0);
    long limit = tokens.unsigned32(3, 0);
    if (slabClass == Numbers.NOT_A_NUMBER || limit == Numbers.NOT_A_NUMBER) {
      say(reply, TextCommands.BAD_FORMAT);
    } else if (slabClass >= SLAB_CLASSES) {
      say(reply, "CLIENT_ERROR Illegal slab id");
    } else if (slabClass == 1) {
      dump(KeyDump.Form.CACHEDUMP, limit == 0 ? Long.MAX_VALUE : limit);
    } else {
      reply.add("END").endLine();
    }
  }
}
