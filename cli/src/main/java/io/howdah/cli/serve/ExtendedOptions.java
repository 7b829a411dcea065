package io.howdah.cli.serve;

import io.howdah.cli.command.ByteSize;
import io.howdah.server.net.ConnectionLimits;
import io.howdah.server.net.ServerOptions;
import io.howdah.server.net.TlsOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The names of {@code -o}: {@code name} or {@code name=value}, as memcached has them. */
final class ExtendedOptions {

  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;

  /** What memcached takes and has no meaning here: of its hash table, slabs, LRU and flash. */
  private static final Set<String> IGNORED =
      Set.of(
          "maxconns_fast",
          "hashpower",
          "hash_algorithm",
          "no_hashexpand",
          "tail_repair_time",
          "lru_crawler",
          "no_lru_crawler",
          "lru_crawler_sleep",
          "lru_crawler_tocrawl",
          "lru_maintainer",
          "no_lru_maintainer",
          "hot_lru_pct",
          "warm_lru_pct",
          "hot_max_factor",
          "warm_max_factor",
          "temporary_ttl",
          "slab_reassign",
          "no_slab_reassign",
          "slab_automove",
          "no_slab_automove",
          "slab_automove_ratio",
          "slab_automove_window",
          "slab_automove_freeratio",
          "slab_chunk_max",
          "read_buf_mem_limit",
          "resp_obj_mem_limit",
          "worker_logbuf_size",
          "track_sizes",
          "inline_ascii_response",
          "no_inline_ascii_resp",
          "modern",
          "no_modern",
          "relaxed_privileges",
          "drop_privileges",
          "no_drop_privileges",
          "sock_cookie_id");

  private final Map<String, String> values = new LinkedHashMap<>();
  private final List<String> ignored = new ArrayList<>();

  /**
   * Reads the words.
   *
   * @throws IllegalArgumentException if a name is unknown
   */
  ExtendedOptions(List<String> words) {
    for (String word : words) {
      int equals = word.indexOf('=');
      String name = equals < 0 ? word : word.substring(0, equals);
      String value = equals < 0 ? "" : word.substring(equals + 1);
      if (IGNORED.contains(name)) {
        ignored.add(name);
      } else if (!Name.isKnown(name)) {
        throw new IllegalArgumentException("-o " + name + " is unknown");
      } else if (values.put(name, value) != null) {
        throw new IllegalArgumentException("-o " + name + " is given twice");
      }
    }
  }

  private enum Name {
    IDLE_TIMEOUT,
    REQUEST_TIMEOUT,
    WRITE_TIMEOUT,
    MAX_UNSENT,
    MAX_PARTIAL,
    MAX_PINNED,
    WATCHER_LOGBUF_SIZE,
    DEBUG_TIME,
    SSL_CHAIN_CERT,
    SSL_KEY,
    SSL_MIN_VERSION;

    static boolean isKnown(String name) {
      for (Name known : values()) {
        if (known.text().equals(name)) {
          return true;
        }
      }
      return false;
    }

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns the names that memcached has and that mean nothing here. */
  List<String> ignored() {
    return ignored;
  }

  /**
   * Returns options with what the words change.
   *
   * @throws IllegalArgumentException if a value is outside its range
   */
  ServerOptions apply(ServerOptions options, boolean ssl) {
    ConnectionLimits limits = options.limits();
    ConnectionLimits changed =
        limits
            .withTimeouts(
                seconds(Name.IDLE_TIMEOUT, limits.idleTimeout()),
                seconds(Name.REQUEST_TIMEOUT, limits.requestTimeout()),
                seconds(Name.WRITE_TIMEOUT, limits.writeTimeout()))
            .withMaxBytes(
                bytes(Name.MAX_UNSENT, limits.maxUnsentBytes()),
                bytes(Name.MAX_PARTIAL, limits.maxPartialBytes()));
    ServerOptions limited =
        options
            .withLimits(changed)
            .withDebugTimeAllowed(values.containsKey(Name.DEBUG_TIME.text()));
    if (values.containsKey(Name.MAX_PINNED.text())) {
      limited = limited.withMaxPinnedBytes(bytes(Name.MAX_PINNED, 0));
    }
    if (values.containsKey(Name.WATCHER_LOGBUF_SIZE.text())) {
      limited =
          limited.withWatchBufferBytes(
              (int) Math.min(size(Name.WATCHER_LOGBUF_SIZE, KIB, "KiB"), Integer.MAX_VALUE));
    }
    return ssl ? limited.withTls(tls()) : refuseTlsNames(limited);
  }

  private TlsOptions tls() {
    String chain = values.get(Name.SSL_CHAIN_CERT.text());
    String key = values.get(Name.SSL_KEY.text());
    if (chain == null || chain.isEmpty()) {
      throw new IllegalArgumentException("-Z needs -o ssl_chain_cert=FILE");
    }
    String version = values.getOrDefault(Name.SSL_MIN_VERSION.text(), "2");
    return new TlsOptions(
        Path.of(chain),
        key == null ? null : Path.of(key),
        switch (version.toLowerCase(Locale.ROOT)) {
          case "2", "tlsv1.2" -> TlsOptions.Version.TLS_1_2;
          case "3", "tlsv1.3" -> TlsOptions.Version.TLS_1_3;
          default ->
              throw new IllegalArgumentException(
                  "-o ssl_min_version=" + version + ": tlsv1.2 (2) or tlsv1.3 (3)");
        });
  }

  private ServerOptions refuseTlsNames(ServerOptions options) {
    for (Name name : List.of(Name.SSL_CHAIN_CERT, Name.SSL_KEY, Name.SSL_MIN_VERSION)) {
      if (values.containsKey(name.text())) {
        throw new IllegalArgumentException("-o " + name.text() + " needs -Z");
      }
    }
    return options;
  }

  private Duration seconds(Name name, Duration unset) {
    String text = values.get(name.text());
    if (text == null) {
      return unset;
    }
    if (!text.matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException(
          "-o " + name.text() + "=" + text + ": a number of seconds, 0 for no limit");
    }
    return Duration.ofSeconds(Long.parseLong(text));
  }

  private long bytes(Name name, long unset) {
    return values.containsKey(name.text()) ? size(name, MIB, "MiB") : unset;
  }

  /** Returns a number of bytes that is given, in a unit or with a letter. */
  private long size(Name name, long unit, String unitName) {
    String text = values.getOrDefault(name.text(), "");
    return ByteSize.parse(text, unit)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "-o "
                        + name.text()
                        + "="
                        + text
                        + ": "
                        + unitName
                        + ", or a number with k, m or g"));
  }
}
