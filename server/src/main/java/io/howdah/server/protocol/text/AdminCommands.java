package io.howdah.server.protocol.text;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.protocol.Numbers;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Refusals;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.ServerControl;
import io.howdah.server.protocol.SessionContext;
import io.howdah.server.protocol.Statistics;
import io.howdah.server.protocol.Tokens;
import io.howdah.server.watch.ConnectionEvents;
import io.howdah.server.watch.EventKind;
import io.howdah.server.watch.Watcher;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The text protocol's commands on the server as a whole. Replies are those of memcached 1.6. */
final class AdminCommands {

  private static final String BAD_LINE = "CLIENT_ERROR bad command line";
  private static final String CRAWLER_DISABLED = "CLIENT_ERROR lru crawler disabled";
  private static final String BAD_CLASS = "BADCLASS invalid class id";
  private static final int MAX_SLEEP_MICROS = 1_000_000;
  private static final int MAX_COMMAND_BYTES = 16;
  private static final int SLAB_CLASSES = 64;
  private static final int MIN_MEGABYTES = 8;
  private static final int MAX_MEGABYTES = 1_000_000_000;
  private static final int MAX_VERBOSITY = 10;
  private static final long MEGABYTE = 1 << 20;

  private final SessionContext session;
  private final TextDecoder decoder;
  private final Cache cache;
  private final ProtocolOptions options;
  private final ServerControl control;
  private final ConnectionEvents events;
  private final CommandCounters counters;
  private final Tokens tokens;
  private final Statistics statistics;

  /** The command at hand wants no reply. */
  private boolean isQuiet;

  AdminCommands(
      SessionContext session, TextDecoder decoder, CommandCounters counters, Tokens tokens) {
    this.session = session;
    this.decoder = decoder;
    this.cache = session.cache();
    this.options = session.options();
    this.control = session.control();
    this.events = session.events();
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
      case "watch" -> watch(reply);
      case "lru_crawler" -> lruCrawler(reply);
      case "slabs" -> slabs(reply);
      case "debugtime" -> debugTime(reply);
      default -> unknown(reply);
    }
  }

  private void unknown(Reply reply) {
    noticeQuiet();
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
    session.flush(delay);
    say(reply, "OK");
  }

  private void verbosity(Reply reply) {
    noticeQuiet();
    long level = number(1);
    if (level == Numbers.NOT_A_NUMBER) {
      say(reply, Refusals.BAD_FORMAT);
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
    decoder.noteQuit();
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

  /** Makes the client a watcher until it leaves. Without words it watches what is read. */
  private void watch(Reply reply) {
    if (!options.watchAllowed()) {
      say(reply, "CLIENT_ERROR watch commands not allowed");
      return;
    }
    Set<EventKind> kinds = EnumSet.noneOf(EventKind.class);
    for (int i = 1; i < tokens.count(); i++) {
      EventKind kind = EventKind.of(tokens.text(i));
      if (kind == null) {
        error(reply);
        return;
      }
      kinds.add(kind);
    }
    if (kinds.isEmpty()) {
      kinds.add(EventKind.FETCHERS);
    }
    Watcher watcher = events.watch(kinds);
    if (watcher == null) {
      say(reply, "WATCHER_TOO_MANY log watcher limit reached");
      return;
    }
    decoder.watch(watcher);
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
              ? Refusals.BAD_FORMAT
              : "CLIENT_ERROR slab reassignment disabled");
    }
  }

  /** The crawler is what removes items that are gone. It lists keys, too. */
  private void lruCrawler(Reply reply) {
    String word = tokens.count() > 1 && tokens.length(1) <= MAX_COMMAND_BYTES ? tokens.text(1) : "";
    switch (tokens.count() + word) {
      case "2enable", "2disable" -> {
        control.enableCrawler(word.equals("enable"));
        say(reply, "OK");
      }
      case "3sleep", "3tocrawl" -> tuneCrawler(reply, word.equals("sleep"));
      case "3crawl" -> crawl(reply);
      case "3metadump" -> dumpAll(reply, true);
      case "3mgdump" -> dumpAll(reply, false);
      default -> error(reply);
    }
  }

  private void tuneCrawler(Reply reply, boolean isSleep) {
    long value = number(2);
    if (value == Numbers.NOT_A_NUMBER) {
      say(reply, Refusals.BAD_FORMAT);
    } else if (!isSleep) {
      control.setCrawlerLimit(value);
      say(reply, "OK");
    } else if (value > MAX_SLEEP_MICROS) {
      say(reply, "CLIENT_ERROR sleep must be one second or less");
    } else {
      control.setCrawlerSleep((int) value);
      say(reply, "OK");
    }
  }

  private void crawl(Reply reply) {
    if (!control.isCrawlerEnabled()) {
      say(reply, CRAWLER_DISABLED);
    } else if (!namesClasses(false)) {
      say(reply, BAD_CLASS);
    } else if (!namesItems()) {
      say(reply, "OK");
    } else {
      say(reply, control.crawl() ? "OK" : "BUSY currently processing crawler request");
    }
  }

  /** Returns whether the last word names all classes of items, or some by their numbers. */
  private boolean namesClasses(boolean hashAllowed) {
    if (tokens.is(2, "all") || (hashAllowed && tokens.is(2, "hash"))) {
      return true;
    }
    for (String name : tokens.text(2).split(",", -1)) {
      int id = name.matches("[0-9]{1,3}") ? Integer.parseInt(name) : 0;
      if (id < 1 || id >= SLAB_CLASSES) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the class of all items is among those named. */
  private boolean namesItems() {
    return !Character.isDigit(tokens.at(2, 0)) || List.of(tokens.text(2).split(",")).contains("1");
  }

  private void dumpAll(Reply reply, boolean isMeta) {
    if (!control.isCrawlerEnabled()) {
      say(reply, CRAWLER_DISABLED);
    } else if (!options.dumpAllowed()) {
      say(reply, isMeta ? "ERROR metadump not allowed" : "ERROR key dump not allowed");
    } else if (!namesClasses(true)) {
      say(reply, BAD_CLASS);
    } else {
      // Without the OK that memcached's protocol.txt has: memcached itself does not send it.
      dump(isMeta ? KeyDump.Form.METADUMP : KeyDump.Form.MGDUMP, namesItems() ? Long.MAX_VALUE : 0);
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
      say(reply, Refusals.BAD_FORMAT);
    } else if (slabClass >= SLAB_CLASSES) {
      say(reply, "CLIENT_ERROR Illegal slab id");
    } else if (slabClass == 1) {
      dump(KeyDump.Form.CACHEDUMP, limit == 0 ? Long.MAX_VALUE : limit);
    } else {
      reply.add("END").endLine();
    }
  }
}
