package io.howdah.server.cache;

import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of {@code stats} that tell of the server and its items, beside {@link
 * CommandCounters.Counter} and the figures of the store. The name in lower case is the name of the
 * row. The metrics are made from this table.
 */
public enum ServerRow {
  MAX_CONNECTIONS(Kind.GAUGE, "the most connections that may be open"),
  CURR_CONNECTIONS(Kind.GAUGE, "connections that are open"),
  TOTAL_CONNECTIONS(Kind.COUNTER, "connections that were opened"),
  REJECTED_CONNECTIONS(Kind.COUNTER, "connections closed immediately, since too many were open"),
  CONNECTION_STRUCTURES(Kind.GAUGE, "connections that are open"),
  IDLE_KICKS(Kind.COUNTER, "connections closed since their clients were idle"),
  HOWDAH_REQUEST_TIMEOUTS(Kind.COUNTER, "connections closed within a request that took too long"),
  HOWDAH_WRITE_TIMEOUTS(Kind.COUNTER, "connections closed since their clients took no replies"),
  HOWDAH_PARTIAL_REFUSED(
      Kind.COUNTER, "connections closed because there was no memory for requests"),
  HOWDAH_UNSENT_BYTES(Kind.GAUGE, "bytes of replies that clients have not taken"),
  HOWDAH_PARTIAL_BYTES(Kind.GAUGE, "bytes of requests that have begun"),
  HOWDAH_DURABILITY_WAITS(Kind.GAUGE, "replies that wait until their changes are durable"),
  LRU_CRAWLER_RUNNING(Kind.GAUGE, "1 while a walk looks for expired items"),
  LRU_CRAWLER_STARTS(Kind.COUNTER, "walks that looked for expired items"),
  THREADS(Kind.GAUGE, "threads that serve connections"),
  HOWDAH_MODE(Kind.TEXT, "when replies go out"),
  HOWDAH_OPENING_US(Kind.GAUGE, "microseconds until the items could be served"),
  HOWDAH_RECOVERED_ITEMS(Kind.GAUGE, "items that were there when the server started"),
  HOWDAH_LAST_STOP(Kind.TEXT, "how the previous process ended"),
  HOWDAH_REPLICA_ROLE(Kind.TEXT, "leader or follower of a replica group, or none"),
  HOWDAH_REPLICA_LEADER(Kind.TEXT, "name of the leader of the replica group, or none"),
  HOWDAH_REPLICA_POSITION(Kind.GAUGE, "last entry of the group's log that this member has applied"),
  HOWDAH_RELAYED_CONNECTIONS(Kind.GAUGE, "connections that go to the leader of the replica group"),
  CURR_ITEMS(Kind.GAUGE, "items, expired ones that were not reclaimed yet included"),
  GET_EXPIRED(Kind.COUNTER, "reads of items that had expired"),
  GET_FLUSHED(Kind.COUNTER, "reads of items that were flushed"),
  EXPIRED_UNFETCHED(Kind.COUNTER, "items that expired before they were read"),
  EVICTED_UNFETCHED(Kind.COUNTER, "items that were evicted before they were read"),
  BYTES(Kind.GAUGE, "bytes that items take"),
  HOWDAH_PENDING_BYTES(Kind.GAUGE, "bytes of large values that arrive or are not freed yet"),
  HOWDAH_READ_BYTES(Kind.GAUGE, "bytes of large values that are being read"),
  LIMIT_MAXBYTES(Kind.GAUGE, "the most bytes that items may take"),
  EVICTIONS(Kind.COUNTER, "items that were evicted"),
  RECLAIMED(Kind.COUNTER, "expired items that were removed"),
  CRAWLER_RECLAIMED(Kind.COUNTER, "expired items that walks have removed"),
  CRAWLER_ITEMS_CHECKED(Kind.COUNTER, "items that walks have visited"),
  LOG_WORKER_DROPPED(Kind.COUNTER, "events that were lost"),
  LOG_WORKER_WRITTEN(Kind.COUNTER, "events that were written"),
  LOG_WATCHER_SKIPPED(Kind.COUNTER, "events that slow watchers have missed"),
  LOG_WATCHER_SENT(Kind.COUNTER, "events that were sent to watchers"),
  LOG_WATCHERS(Kind.GAUGE, "clients that watch events");

  /** How the value of a row changes. */
  public enum Kind {
    /** Only grows, until {@code stats reset}. */
    COUNTER,
    /** Goes up and down. */
    GAUGE,
    /** Is no number. */
    TEXT
  }

  private static final Map<String, ServerRow> BY_NAME =
      Stream.of(values())
          .collect(Collectors.toUnmodifiableMap(each -> each.row, Function.identity()));

  private final String row = name().toLowerCase(Locale.ROOT);
  private final Kind kind;
  private final String help;

  ServerRow(Kind kind, String help) {
    this.kind = kind;
    this.help = help;
  }

  /** Returns the row of a name; null for one that is not in this table. */
  public static @Nullable ServerRow named(String row) {
    return BY_NAME.get(row);
  }

  /** Returns how the value changes. */
  public Kind kind() {
    return kind;
  }

  /** Returns what the value is, for people. */
  public String help() {
    return help;
  }

  /** Calls a function with the name and a value of the row. */
  public void write(BiConsumer<String, String> rows, Object value) {
    rows.accept(row, value.toString());
  }
}
