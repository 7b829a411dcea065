package io.howdah.server.watch;

import org.jspecify.annotations.Nullable;

/** Kinds of events that a client may watch, by memcached's names in lower case. */
public enum EventKind {
  /** A command has looked for an item. */
  FETCHERS("fetchers", 1),
  /** A command has stored an item, or was refused. */
  MUTATIONS("mutations", 1 << 1),
  /** An item was removed to make room. */
  EVICTIONS("evictions", 1 << 2),
  /** A connection was opened or closed. */
  CONNEVENTS("connevents", 1 << 3);

  private final String word;
  final int bit;

  EventKind(String word, int bit) {
    this.word = word;
    this.bit = bit;
  }

  /** Returns the kind of a word of the command {@code watch}, or null if there is none. */
  public static @Nullable EventKind of(String word) {
    for (EventKind kind : values()) {
      if (kind.word.equals(word)) {
        return kind;
      }
    }
    return null;
  }
}
