package io.howdah.crashtest.serve;

import io.howdah.crashtest.serve.Command.Verb;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One connection of the workload and its record. It sends pipelines of commands for keys of its
 * own, compares each reply with the model, and knows at every moment which commands were
 * acknowledged and which are on their way. It outlives the servers. For one thread at a time.
 */
final class Worker {

  private static final int KEYS = 24;
  private static final int COUNTERS = 4;
  private static final int MAX_PIPELINE = 24;
  private static final int SMALL_BYTES = 300;
  private static final int LARGE_BYTES = 60_000;

  /** A value that has grown beyond this is set again. */
  private static final int MAX_GROWN_BYTES = 100_000;

  /** Seconds since 1970, in steps that the clock's error does not reach. */
  private static final long FIRST_EXPIRY = 4_000_000_000L >> 1;

  private static final long EXPIRY_STEP = 1000;
  private static final int EXPIRIES = 1000;

  /** The key that all connections count. */
  static final String SHARED = "shared";

  private final int number;
  private final SplittableRandom random;
  private final CasRecord casRecord;
  private final SharedCounter shared;
  private final Deque<Command> pending = new ArrayDeque<>();
  private Shelf shelf = new Shelf();
  private long acknowledged;

  Worker(int number, long seed, CasRecord casRecord, SharedCounter shared) {
    this.number = number;
    this.random = new SplittableRandom(seed * 31 + number);
    this.casRecord = casRecord;
    this.shared = shared;
  }

  /** Returns how many replies came. */
  long acknowledged() {
    return acknowledged;
  }

  /** Returns the keys that the connection writes. */
  List<String> keys() {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      keys.add(key(i));
    }
    return keys;
  }

  private String key(int i) {
    return (i < COUNTERS ? "n" : "k") + number + ":" + i;
  }

  /** Sends one pipeline and reads its replies. */
  void batch(TextConnection connection) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int count = 1 + random.nextInt(MAX_PIPELINE);
    for (int i = 0; i < count; i++) {
      Command command = next();
      command.encode(bytes);
      pending.add(command);
      if (command.key().equals(SHARED)) {
        shared.sent();
      }
    }
    connection.send(bytes.toByteArray());
    while (!pending.isEmpty()) {
      takeReply(connection, pending.getFirst());
      pending.removeFirst();
      acknowledged++;
    }
  }

  private Command next() {
    int key = random.nextInt(KEYS + 1);
    if (key == KEYS) {
      return new Command(Verb.INCR, SHARED, "", 1, 0);
    }
    if (key < COUNTERS) {
      return counterCommand(key(key));
    }
    String name = key(key);
    Shelf.Item item = shelf.get(name);
    if (item != null && item.value().length() > MAX_GROWN_BYTES) {
      return store(Verb.SET, name);
    }
    return switch (random.nextInt(12)) {
      case 0, 1 -> store(Verb.SET, name);
      case 2 -> store(Verb.ADD, name);
      case 3 -> store(Verb.REPLACE, name);
      case 4 -> new Command(Verb.APPEND, name, value(), 0, 0);
      case 5 -> new Command(Verb.PREPEND, name, value(), 0, 0);
      case 6, 7 -> new Command(Verb.GETS, name, "", 0, 0);
      case 8, 9 -> new Command(Verb.CAS, name, value(), cas(item), flags());
      case 10 -> new Command(Verb.TOUCH, name, "", expiry(), 0);
      default -> new Command(Verb.DELETE, name, "", 0, 0);
    };
  }

  /** Returns the CAS value that the server told, or one that no item ever has. */
  private static long cas(Shelf.@Nullable Item item) {
    return item == null || item.cas() == Shelf.UNKNOWN ? Long.MAX_VALUE : item.cas();
  }

  private Command counterCommand(String name) {
    return switch (random.nextInt(8)) {
      case 0 -> new Command(Verb.ADD, name, Integer.toString(random.nextInt(2000)), 0, 0);
      case 1, 2 -> new Command(Verb.DECR, name, "", random.nextInt(2000), 0);
      case 3 -> new Command(Verb.GETS, name, "", 0, 0);
      case 4 ->
          random.nextInt(4) == 0
              ? new Command(Verb.DELETE, name, "", 0, 0)
              : new Command(Verb.INCR, name, "", 1, 0);
      default -> new Command(Verb.INCR, name, "", random.nextLong(1L << 40), 0);
    };
  }

  private Command store(Verb verb, String name) {
    return new Command(verb, name, value(), random.nextBoolean() ? 0 : expiry(), flags());
  }

  private int flags() {
    return random.nextInt(1 << 16);
  }

  private long expiry() {
    return FIRST_EXPIRY + EXPIRY_STEP * random.nextInt(EXPIRIES);
  }

  private String value() {
    byte[] value = new byte[random.nextInt(random.nextInt(40) == 0 ? LARGE_BYTES : SMALL_BYTES)];
    random.nextBytes(value);
    return new String(value, StandardCharsets.ISO_8859_1);
  }

  private void takeReply(TextConnection connection, Command command) throws IOException {
    String line = connection.line();
    if (command.key().equals(SHARED)) {
      shared.acknowledged(line);
      return;
    }
    String expected = shelf.run(command);
    if (!expected.equals(command.verb() == Verb.GETS ? firstWord(line) : line)) {
      throw new BrokenPromise(
          "connection "
              + number
              + ": "
              + command
              + " replied \""
              + line
              + "\" instead of \""
              + expected
              + "\"; the item was "
              + shelf.get(command.key()));
    }
    if (line.startsWith("VALUE ")) {
      Found found = Found.read(connection, line);
      String difference = compare(command.key(), shelf.get(command.key()), found, false);
      if (difference != null) {
        throw new BrokenPromise("connection " + number + ": " + difference);
      }
      learn(command.key(), found.cas());
    }
  }

  private static String firstWord(String line) {
    int end = line.indexOf(' ');
    return end < 0 ? line : line.substring(0, end);
  }

  private void learn(String key, long cas) {
    Shelf.Item item = shelf.get(key);
    if (item != null) {
      casRecord.seen(cas, key, item.version());
      shelf.learn(key, cas);
    }
  }

  /**
   * An item as the server shows it.
   *
   * @param expiresAt 0 for never, or if it was not asked for
   */
  record Found(String value, int flags, long cas, long expiresAt) {

    /** Reads the rest of a reply to {@code gets} that begins with this line. */
    static Found read(TextConnection connection, String line) throws IOException {
      String[] words = line.split(" ", -1);
      String value =
          new String(connection.bytes(Integer.parseInt(words[3])), StandardCharsets.ISO_8859_1);
      if (!connection.line().isEmpty() || !connection.line().equals("END")) {
        throw new BrokenPromise("a value does not end where its reply says: " + line);
      }
      return new Found(
          value, Integer.parseUnsignedInt(words[2]), Long.parseUnsignedLong(words[4]), 0);
    }

    Found withExpiry(long second) {
      return new Found(value, flags, cas, second);
    }
  }

  private static @Nullable String compare(
      String key, Shelf.@Nullable Item item, @Nullable Found found, boolean withExpiry) {
    if (item == null || found == null) {
      return item == null && found == null
          ? null
          : key + " is " + (found == null ? "missing" : "there") + ", not " + item;
    }
    boolean same =
        item.value().equals(found.value())
            && item.flags() == found.flags()
            && (item.cas() == Shelf.UNKNOWN || item.cas() == found.cas())
            && (!withExpiry || Math.abs(item.expiresAt() - found.expiresAt()) < EXPIRY_STEP / 2);
    return same
        ? null
        : key
            + " is "
            + new Shelf.Item(found.value(), found.flags(), found.expiresAt(), 0, found.cas())
            + ", not "
            + item;
  }

  /** Returns whether commands were sent whose replies never came. */
  boolean hasPending() {
    return !pending.isEmpty();
  }

  /** Forgets all items: they were flushed. */
  void flushed() {
    shelf.clear();
  }

  /** Returns the first difference between the record, with no command pending, and the items. */
  @Nullable String difference(Map<String, Found> found) {
    return difference(shelf, found);
  }

  private @Nullable String difference(Shelf shelf, Map<String, Found> found) {
    for (String key : keys()) {
      String difference = compare(key, shelf.get(key), found.get(key), true);
      if (difference != null) {
        return difference;
      }
    }
    return null;
  }

  /**
   * Judges what a restarted server shows: it has what the acknowledged commands made, and the first
   * of those that were on their way, up to any of them. Goes on from there.
   *
   * @return the broken promise, or null
   */
  @Nullable String judge(Map<String, Found> found) {
    Shelf candidate = shelf.copy();
    String first = difference(candidate, found);
    String difference = first;
    while (difference != null && !pending.isEmpty()) {
      Command command = pending.removeFirst();
      if (!command.key().equals(SHARED)) {
        candidate.run(command);
        difference = difference(candidate, found);
      }
    }
    pending.clear();
    if (difference != null) {
      return "connection " + number + ": " + first;
    }
    shelf = candidate;
    found.forEach((key, item) -> learn(key, item.cas()));
    return null;
  }
}
