package io.howdah.crashtest.serve;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the items of one connection are after a sequence of commands, and what the server must have
 * replied: a model of memcached for keys that nobody else writes. For one thread at a time.
 */
final class Shelf {

  /** In an item: its CAS value is not known. */
  static final long UNKNOWN = 0;

  /**
   * One item.
   *
   * @param version counts the writes of the whole shelf, so no two values share one
   * @param cas as the server told it, or {@link #UNKNOWN}
   */
  record Item(String value, int flags, long expiresAt, long version, long cas) {

    Item withExpiry(long second) {
      return new Item(value, flags, second, version, cas);
    }

    Item withCas(long number) {
      return new Item(value, flags, expiresAt, version, number);
    }

    @Override
    public String toString() {
      return value.length()
          + " bytes (hash "
          + Integer.toHexString(value.hashCode())
          + ", starting "
          + value.substring(0, Math.min(20, value.length()))
          + "), flags "
          + flags
          + ", expiry "
          + expiresAt
          + ", cas "
          + cas;
    }
  }

  private final Map<String, Item> items;
  private long version;

  Shelf() {
    items = new HashMap<>();
  }

  private Shelf(Shelf other) {
    items = new HashMap<>(other.items);
    version = other.version;
  }

  Shelf copy() {
    return new Shelf(this);
  }

  @Nullable Item get(String key) {
    return items.get(key);
  }

  /** Notes the CAS value that the server told. */
  void learn(String key, long cas) {
    items.computeIfPresent(key, (_, item) -> item.withCas(cas));
  }

  void clear() {
    items.clear();
  }

  /** Runs a command and returns the reply, for {@code gets} its first word. */
  String run(Command command) {
    String key = command.key();
    Item item = items.get(key);
    return switch (command.verb()) {
      case SET -> store(command, command.value(), command.number());
      case ADD -> item != null ? "NOT_STORED" : store(command, command.value(), command.number());
      case REPLACE ->
          item == null ? "NOT_STORED" : store(command, command.value(), command.number());
      case APPEND ->
          item == null ? "NOT_STORED" : replace(key, item, item.value() + command.value());
      case PREPEND ->
          item == null ? "NOT_STORED" : replace(key, item, command.value() + item.value());
      case CAS -> {
        if (item == null) {
          yield "NOT_FOUND";
        }
        yield item.cas() == command.number() ? store(command, command.value(), 0) : "EXISTS";
      }
      case INCR, DECR -> count(command, item);
      case TOUCH -> {
        if (item == null) {
          yield "NOT_FOUND";
        }
        items.put(key, item.withExpiry(command.number()));
        yield "TOUCHED";
      }
      case DELETE -> items.remove(key) == null ? "NOT_FOUND" : "DELETED";
      case GETS -> item == null ? "END" : "VALUE";
    };
  }

  private String store(Command command, String value, long expiresAt) {
    items.put(command.key(), new Item(value, command.flags(), expiresAt, ++version, UNKNOWN));
    return "STORED";
  }

  private String replace(String key, Item item, String value) {
    items.put(key, new Item(value, item.flags(), item.expiresAt(), ++version, UNKNOWN));
    return "STORED";
  }

  private String count(Command command, @Nullable Item item) {
    if (item == null) {
      return "NOT_FOUND";
    }
    String old = item.value();
    long number = Long.parseUnsignedLong(old.strip());
    boolean adds = command.verb() == Command.Verb.INCR;
    long result =
        adds
            ? number + command.number()
            : Long.compareUnsigned(number, command.number()) < 0 ? 0 : number - command.number();
    String text = Long.toUnsignedString(result);
    // A shorter number keeps its width: blanks fill it.
    String stored =
        text.length() < old.length() ? text + " ".repeat(old.length() - text.length()) : text;
    replace(command.key(), item, stored);
    return text;
  }
}
