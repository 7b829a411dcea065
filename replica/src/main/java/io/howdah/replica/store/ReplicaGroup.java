package io.howdah.replica.store;

import io.howdah.StoreOptions;
import io.howdah.core.StoreId;
import io.howdah.core.layout.RingLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The members of a replica group and the dimensions of their stores, as the group file has them.
 * All members have the same file:
 *
 * <pre>
 * cluster = 7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a11
 * peer.a = 10.0.0.1:7100
 * peer.b = 10.0.0.2:7100
 * peer.c = 10.0.0.3:7100
 * http.a = 10.0.0.1:7101
 * http.b = 10.0.0.2:7101
 * http.c = 10.0.0.3:7101
 * secret-file = replica.secret
 * trusted-network = true
 * max-size = 1073741824
 * </pre>
 *
 * <p>{@code max-size}, {@code partitions}, {@code ring-bytes} and {@code max-log-bytes} are
 * optional. So are the addresses {@code http.NAME}, for all members or for none: there members get
 * snapshots of each other, so that the log can be bounded and a member be replaced. {@code
 * secret-file} names a file beside this one, equal on all members and for its owner only, whose
 * first line members show when they ask for a snapshot. {@code trusted-network} says that only
 * members reach the addresses: everything goes over them unencrypted, and every program that
 * reaches them is obeyed. Addresses of this machine need no such promise.
 *
 * @param cluster id of the group, and of its store
 * @param peers address of each member, host and port, by its name
 * @param maxSize the most that data may take, in bytes
 * @param partitions of the log
 * @param ringBytes length of each partition's ring
 * @param maxLogBytes length of the group's log on a member beyond which it is removed although
 *     another member has not got it; that one needs a snapshot then
 * @param http address of each member for snapshots and its state; empty if there are none
 * @param secretFile file whose first line members show each other; empty without {@code http}
 * @param relay address of each member for the clients' connections that other members pass to it,
 *     if the members are servers; empty if there are none
 */
public record ReplicaGroup(
    UUID cluster,
    Map<String, String> peers,
    long maxSize,
    int partitions,
    int ringBytes,
    long maxLogBytes,
    Map<String, String> http,
    Optional<Path> secretFile,
    Map<String, String> relay) {

  private static final int MAX_PEERS = 7;
  private static final int MIN_PEERS = 3;
  private static final int MAX_FILE_BYTES = 1 << 16;
  private static final int MAX_PORT = 65_535;
  private static final long DEFAULT_MAX_SIZE = 1L << 30;
  private static final int DEFAULT_PARTITIONS = 4;
  private static final int DEFAULT_RING_BYTES = 1 << 20;
  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,32}");
  private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9]{16,}");
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1]");
  private static final String PEER = "peer.";
  private static final String HTTP = "http.";
  private static final String RELAY = "relay.";
  private static final long DEFAULT_MAX_LOG_BYTES = 1L << 30;
  private static final long MIN_LOG_BYTES = 16 << 20;
  private static final int MIN_SECRET_LENGTH = 16;
  private static final int MAX_SECRET_LENGTH = 1024;

  /** Copies the maps. */
  public ReplicaGroup {
    peers = Map.copyOf(peers);
    http = Map.copyOf(http);
    relay = Map.copyOf(relay);
  }

  /**
   * Reads a group file.
   *
   * @throws IllegalArgumentException if it is wrong; names file and line
   */
  public static ReplicaGroup read(Path file) {
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        throw new IllegalArgumentException(
            file + " has more than " + MAX_FILE_BYTES + " bytes, and is no group file");
      }
      return new Reading(file.toString()).read(Files.readAllLines(file, StandardCharsets.UTF_8));
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(file + " is not text in UTF-8", e);
    } catch (IOException e) {
      throw new UncheckedIOException(
          e instanceof NoSuchFileException
              ? "there is no group file " + file + "; write one, alike on all members"
              : "cannot read the group file " + file + ": " + e,
          e);
    }
  }

  /** Reads the lines of a group file, whose name is for messages. */
  static ReplicaGroup parse(String file, String text) {
    return new Reading(file).read(text.lines().toList());
  }

  /**
   * Reads the secret of the group, if members have addresses for snapshots.
   *
   * @throws IllegalArgumentException if others may read the file, or it has no secret
   */
  Optional<String> secret() {
    return secretFile.map(ReplicaGroup::readSecret);
  }

  private static String readSecret(Path file) {
    try {
      if (Files.getFileStore(file).supportsFileAttributeView("posix")) {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        permissions.removeAll(
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
        if (!permissions.isEmpty()) {
          throw new IllegalArgumentException(
              file + " is not for its owner only: chmod 600 " + file);
        }
      }
      if (Files.size(file) > MAX_SECRET_LENGTH) {
        throw new IllegalArgumentException(
            file + " has more than " + MAX_SECRET_LENGTH + " bytes, and is no secret of a group");
      }
      String secret = Files.readString(file, StandardCharsets.UTF_8).lines().findFirst().orElse("");
      if (!SECRET.matcher(secret).matches()) {
        throw new IllegalArgumentException(
            file
                + " has no secret: its first line has at least "
                + MIN_SECRET_LENGTH
                + " letters and digits");
      }
      return secret;
    } catch (IOException e) {
      throw new UncheckedIOException("read the group's secret " + file, e);
    }
  }

  /** Returns the id of the group's store. */
  StoreId storeId() {
    return new StoreId(cluster.getMostSignificantBits(), cluster.getLeastSignificantBits());
  }

  /** Returns options with the group's dimensions. */
  StoreOptions dimensioned(StoreOptions options) {
    return options.withMaxSize(maxSize).withPartitions(partitions).withRingBytes(ringBytes);
  }

  /**
   * Requires that a name is that of a member.
   *
   * @throws IllegalArgumentException if it is not
   */
  void requireMember(String name) {
    if (!peers.containsKey(name)) {
      throw new IllegalArgumentException(
          name + " is not a member of the group, whose members are " + peers.keySet());
    }
  }

  private static final class Reading {

    private final String file;
    private final Map<String, String> values = new HashMap<>();
    private final Map<String, Integer> lines = new HashMap<>();
    private final Map<String, String> peers = new LinkedHashMap<>();
    private final Map<String, String> http = new LinkedHashMap<>();
    private final Map<String, String> relay = new LinkedHashMap<>();

    Reading(String file) {
      this.file = file;
    }

    private IllegalArgumentException wrong(String key, String problem) {
      Integer line = lines.get(key);
      return new IllegalArgumentException(
          file + (line == null ? "" : " line " + line) + ": " + problem);
    }

    ReplicaGroup read(List<String> text) {
      for (int i = 0; i < text.size(); i++) {
        String line = text.get(i).strip();
        if (!line.isEmpty() && line.charAt(0) != '#') {
          add(line, i + 1);
        }
      }
      boolean isTrusted = isTrusted();
      peers.forEach((name, address) -> requireAddress(PEER + name, address, isTrusted));
      http.forEach((name, address) -> requireAddress(HTTP + name, address, isTrusted));
      relay.forEach((name, address) -> requireAddress(RELAY + name, address, isTrusted));
      requireOfAll(HTTP, http);
      requireOfAll(RELAY, relay);
      requireSecret();
      if (peers.size() != 1 && (peers.size() < MIN_PEERS || peers.size() > MAX_PEERS)) {
        throw wrong(
            "",
            "a group has 1 member, or from "
                + MIN_PEERS
                + " to "
                + MAX_PEERS
                + ", not "
                + peers.size()
                + ": of two, none could go on without the other");
      }
      return new ReplicaGroup(
          cluster(),
          peers,
          number("max-size", DEFAULT_MAX_SIZE, 1 << 16, Long.MAX_VALUE / 2),
          (int) number("partitions", DEFAULT_PARTITIONS, 1, 256),
          (int)
              number(
                  "ring-bytes",
                  DEFAULT_RING_BYTES,
                  RingLayout.MIN_CAPACITY,
                  RingLayout.MAX_CAPACITY),
          number("max-log-bytes", DEFAULT_MAX_LOG_BYTES, MIN_LOG_BYTES, Long.MAX_VALUE / 2),
          http,
          Optional.ofNullable(values.get("secret-file"))
              .map(secret -> Path.of(file).resolveSibling(secret)),
          relay);
    }

    private void requireOfAll(String prefix, Map<String, String> addresses) {
      for (String name : addresses.keySet()) {
        if (!peers.containsKey(name)) {
          throw wrong(prefix + name, "there is no member " + name);
        }
      }
      for (String name : peers.keySet()) {
        if (!addresses.isEmpty() && !addresses.containsKey(name)) {
          throw wrong(
              "", prefix + name + " is missing: all members have such an address, or none has");
        }
      }
    }

    private void requireSecret() {
      if (http.isEmpty() == values.containsKey("secret-file")) {
        throw wrong(
            "secret-file",
            http.isEmpty()
                ? "secret-file is of no use without http.NAME of all members"
                : "secret-file is missing: without it every user of these machines could read the"
                    + " store through the addresses http.NAME");
      }
    }

    private void add(String line, int number) {
      int equals = line.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException(
            file + " line " + number + ": expected key = value, found \"" + line + "\"");
      }
      String key = line.substring(0, equals).strip();
      String value = line.substring(equals + 1).strip();
      Integer before = lines.putIfAbsent(key, number);
      if (before != null) {
        throw new IllegalArgumentException(
            file + " line " + number + ": " + key + " is in line " + before + " already");
      }
      switch (key) {
        case "cluster",
            "trusted-network",
            "max-size",
            "partitions",
            "ring-bytes",
            "max-log-bytes",
            "secret-file" ->
            values.put(key, value);
        default -> addAddress(key, value);
      }
    }

    private void addAddress(String key, String value) {
      if (key.startsWith(HTTP)) {
        requireUnique(key, value);
        http.put(key.substring(HTTP.length()), value);
      } else if (key.startsWith(RELAY)) {
        requireUnique(key, value);
        relay.put(key.substring(RELAY.length()), value);
      } else {
        addPeer(key, value);
      }
    }

    private void requireUnique(String key, String value) {
      peers.forEach((other, address) -> requireOther(key, value, PEER + other, address));
      http.forEach((other, address) -> requireOther(key, value, HTTP + other, address));
      relay.forEach((other, address) -> requireOther(key, value, RELAY + other, address));
    }

    private void requireOther(String key, String value, String other, String address) {
      if (address.equals(value)) {
        throw wrong(key, other + " and " + key + " have one address, " + value);
      }
    }

    private void addPeer(String key, String value) {
      if (!key.startsWith(PEER)) {
        throw wrong(
            key,
            "unknown key "
                + key
                + "; known are cluster, peer.NAME, http.NAME, relay.NAME, secret-file,"
                + " trusted-network, max-size, partitions, ring-bytes, max-log-bytes");
      }
      String name = key.substring(PEER.length());
      if (!NAME.matcher(name).matches()) {
        throw wrong(
            key, "the name of a member has 1 to 32 of a-z, 0-9 and -, not \"" + name + "\"");
      }
      requireUnique(key, value);
      peers.put(name, value);
    }

    private void requireAddress(String key, String address, boolean isTrusted) {
      int colon = address.lastIndexOf(':');
      if (colon <= 0 || !isPort(address.substring(colon + 1))) {
        throw wrong(key, "expected host:port, found \"" + address + "\"");
      }
      if (!isTrusted && !LOOPBACK.matcher(address.substring(0, colon)).matches()) {
        throw wrong(
            key,
            address
                + " is not on this machine. All data go over it unencrypted, and every program that"
                + " reaches it is obeyed: write trusted-network = true if only members reach it");
      }
    }

    private static boolean isPort(String text) {
      return text.matches("\\d{1,5}")
          && Integer.parseInt(text) > 0
          && Integer.parseInt(text) <= MAX_PORT;
    }

    private boolean isTrusted() {
      String value = values.getOrDefault("trusted-network", "false");
      if (!value.equals("true") && !value.equals("false")) {
        throw wrong("trusted-network", "trusted-network is true or false, not \"" + value + "\"");
      }
      return value.equals("true");
    }

    private UUID cluster() {
      @Nullable String value = values.get("cluster");
      if (value == null) {
        throw wrong("", "cluster is missing, a UUID that no other group has");
      }
      try {
        UUID cluster = UUID.fromString(value);
        if (cluster.toString().equalsIgnoreCase(value)
            && (cluster.getMostSignificantBits() | cluster.getLeastSignificantBits()) != 0) {
          return cluster;
        }
      } catch (IllegalArgumentException e) {
        // Told below.
      }
      throw wrong("cluster", "cluster is a UUID that is not zero, not \"" + value + "\"");
    }

    private long number(String key, long ifAbsent, long min, long max) {
      String value = values.get(key);
      if (value == null) {
        return ifAbsent;
      }
      long number = value.matches("\\d{1,18}") ? Long.parseLong(value) : -1;
      if (number < min || number > max) {
        throw wrong(
            key, key + " is a number from " + min + " to " + max + ", not \"" + value + "\"");
      }
      return number;
    }
  }
}
