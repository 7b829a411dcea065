package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The rows of {@code stats}. The server and the cache tell their own rows; a row that two of them
 * tell is the cache's.
 */
public final class Statistics {

  /** Rows of a class of items, by their names in the general rows. */
  private static final String[][] ITEM_ROWS = {
    {"number", "curr_items"},
    {"number_hot", ""},
    {"number_warm", ""},
    {"number_cold", "curr_items"},
    {"age_hot", ""},
    {"age_warm", ""},
    {"age", ""},
    {"mem_requested", "bytes"},
    {"evicted", "evictions"},
    {"evicted_nonzero", "evicted_nonzero"},
    {"evicted_time", "evicted_time"},
    {"outofmemory", "store_no_memory"},
    {"tailrepairs", ""},
    {"reclaimed", "reclaimed"},
    {"expired_unfetched", "expired_unfetched"},
    {"evicted_unfetched", "evicted_unfetched"},
    {"evicted_active", "evicted_active"},
    {"crawler_reclaimed", "crawler_reclaimed"},
    {"crawler_items_checked", "crawler_items_checked"},
    {"lrutail_reflocked", ""},
    {"moves_to_cold", ""},
    {"moves_to_warm", ""},
    {"moves_within_lru", ""},
    {"direct_reclaims", "direct_reclaims"},
    {"hits_to_hot", ""},
    {"hits_to_warm", ""},
    {"hits_to_cold", "get_hits"},
    {"hits_to_temp", ""},
  };

  private static final Counter[] SLAB_ROWS = {
    Counter.GET_HITS,
    Counter.CMD_SET,
    Counter.DELETE_HITS,
    Counter.INCR_HITS,
    Counter.DECR_HITS,
    Counter.CAS_HITS,
    Counter.CAS_BADVAL,
    Counter.TOUCH_HITS,
  };

  private static final int ALIGNMENT = 8;
  private static final int PAGE_BYTES = 1 << 20;

  private final Cache cache;
  private final ProtocolOptions options;
  private final CommandCounters counters;
  private final ServerControl control;

  public Statistics(SessionContext session, CommandCounters counters) {
    this.cache = session.cache();
    this.options = session.options();
    this.control = session.control();
    this.counters = counters;
  }

  /**
   * Calls a function with the rows of a kind of statistics.
   *
   * @param kind the word behind {@code stats}; empty for the general ones
   * @param argument the word behind it, or empty
   * @return false if there is no such kind
   */
  public boolean rows(String kind, String argument, BiConsumer<String, String> row) {
    switch (kind) {
      case "" -> general().forEach(row);
      case "settings" -> settings(row);
      case "items" -> items(row);
      case "slabs" -> slabs(row);
      case "sizes" -> row.accept("sizes_status", "disabled");
      case "conns" -> control.connections(row);
      case "reset" -> reset();
      case "detail" -> {
        return options.dumpAllowed() && detail(argument, row);
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private boolean detail(String argument, BiConsumer<String, String> row) {
    switch (argument) {
      case "on", "off" -> counters.prefixes().enable(argument.equals("on"));
      case "dump" -> row.accept("detailed", counters.prefixes().dump() + "END\r\n");
      default -> {
        return false;
      }
    }
    return true;
  }

  public void reset() {
    counters.reset();
    control.resetStatistics();
  }

  private Map<String, String> general() {
    Map<String, String> rows = new LinkedHashMap<>();
    rows.put("pid", Long.toString(ProcessHandle.current().pid()));
    rows.put("uptime", Long.toString(ManagementFactory.getRuntimeMXBean().getUptime() / 1000));
    rows.put("time", Long.toString(cache.now()));
    rows.put("version", options.version());
    rows.put("pointer_size", "64");
    ProcessorTime processor = ProcessorTime.now();
    rows.put("rusage_user", processor.user());
    rows.put("rusage_system", processor.system());
    counters.forEach(rows::put);
    rows.put("accepting_conns", "1");
    control.statistics(rows::put);
    cache.statistics(rows::put);
    return rows;
  }

  private void settings(BiConsumer<String, String> row) {
    Map<String, String> rows = new LinkedHashMap<>();
    rows.put("oldest", "0");
    rows.put("shutdown_command", yes(options.shutdownAllowed()));
    rows.put("stat_key_prefix", ":");
    rows.put("detail_enabled", yes(counters.prefixes().isEnabled()));
    rows.put("cas_enabled", "yes");
    rows.put(
        "binding_protocol",
        switch (options.wireProtocol()) {
          case AUTO -> "auto-negotiate";
          case TEXT -> "ascii";
          case BINARY -> "binary";
        });
    rows.put("auth_enabled_sasl", yes(options.authenticator() != null));
    rows.put("auth_enabled_ascii", yes(options.authenticator() != null));
    rows.put("item_size_max", Integer.toString(options.maxItemBytes()));
    rows.put("flush_enabled", yes(options.flushAllowed()));
    rows.put("dump_enabled", yes(options.dumpAllowed()));
    rows.put("client_flags_size", "4");
    control.settings(rows::put);
    rows.forEach(row);
  }

  private static String yes(boolean is) {
    return is ? "yes" : "no";
  }

  /** All items are of one class. */
  private void items(BiConsumer<String, String> row) {
    Map<String, String> general = general();
    if (general.getOrDefault("curr_items", "0").equals("0")
        && general.getOrDefault("evictions", "0").equals("0")) {
      return;
    }
    for (String[] names : ITEM_ROWS) {
      row.accept("items:1:" + names[0], general.getOrDefault(names[1], "0"));
    }
  }

  /** All items are of one class, and a chunk is an item. */
  private void slabs(BiConsumer<String, String> row) {
    Map<String, String> general = general();
    long bytes = Long.parseLong(general.getOrDefault("bytes", "0"));
    long items = Long.parseLong(general.getOrDefault("curr_items", "0"));
    long pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    if (items > 0) {
      long unit = items * ALIGNMENT;
      // The average, rounded up.
      long chunkBytes = Math.max(1, (bytes + unit - 1) / unit) * ALIGNMENT;
      row.accept("1:chunk_size", Long.toString(chunkBytes));
      row.accept("1:chunks_per_page", Long.toString(Math.max(1, PAGE_BYTES / chunkBytes)));
      row.accept("1:total_pages", Long.toString(pages));
      row.accept("1:total_chunks", Long.toString(items));
      row.accept("1:used_chunks", Long.toString(items));
      row.accept("1:free_chunks", "0");
      row.accept("1:free_chunks_end", "0");
      row.accept("1:mem_requested", Long.toString(bytes));
      for (Counter counter : SLAB_ROWS) {
        row.accept(
            "1:" + counter.name().toLowerCase(Locale.ROOT), Long.toString(counters.get(counter)));
      }
    }
    row.accept("active_slabs", items > 0 ? "1" : "0");
    row.accept("total_malloced", Long.toString(pages * PAGE_BYTES));
  }
}
