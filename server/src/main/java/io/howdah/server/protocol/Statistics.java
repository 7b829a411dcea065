package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CommandCounters;

/** What {@code stats} replies. */
final class Statistics {

  private final Cache cache;
  private final ProtocolOptions options;
  private final CommandCounters counters;

  Statistics(Cache cache, ProtocolOptions options, CommandCounters counters) {
    this.cache = cache;
    this.options = options;
    this.counters = counters;
  }

  void general(Reply reply) {
    row(reply, "pid", Long.toString(ProcessHandle.current().pid()));
    row(reply, "time", Long.toString(cache.now()));
    row(reply, "version", options.version());
    row(reply, "pointer_size", "64");
    counters.forEach((name, value) -> row(reply, name, value));
    cache.statistics((name, value) -> row(reply, name, value));
    reply.add("END").endLine();
  }

  void settings(Reply reply) {
    row(reply, "item_size_max", Integer.toString(options.maxItemBytes()));
    row(reply, "flush_enabled", options.flushAllowed() ? "yes" : "no");
    row(reply, "cas_enabled", "yes");
    reply.add("END").endLine();
  }

  private static void row(Reply reply, String name, String value) {
    reply.add("STAT ").add(name).add(' ').add(value).endLine();
  }
}
