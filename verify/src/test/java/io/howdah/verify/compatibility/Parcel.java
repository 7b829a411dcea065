package io.howdah.verify.compatibility;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * A value whose codec is derived, with a component of most kinds. It stays as it is: golden stores
 * hold its shape.
 */
record Parcel(
    UUID id,
    String to,
    int grams,
    BigDecimal price,
    Instant sent,
    State state,
    Content content,
    List<String> stops,
    Map<String, Long> counts,
    Optional<String> note) {

  /** An enum within a record. */
  enum State {
    PACKED,
    SENT,
    RECEIVED
  }

  /** A sealed interface within a record. */
  sealed interface Content {}

  /** One of its classes. */
  record Book(String title, short pages) implements Content {}

  /** The other one. */
  @SuppressWarnings("ArrayRecordComponent") // a component of its own kind
  record Letter(byte[] text) implements Content {
    @Override
    public boolean equals(Object other) {
      return other instanceof Letter letter && java.util.Arrays.equals(text, letter.text);
    }

    @Override
    public int hashCode() {
      return java.util.Arrays.hashCode(text);
    }
  }

  static Parcel of(int number) {
    Content content =
        number % 2 == 0
            ? new Book("Volume " + number, (short) (100 + number))
            : new Letter(new byte[] {(byte) number, 0, -1});
    return new Parcel(
        new UUID(number, ~number),
        "Street " + number,
        number * 10,
        new BigDecimal(number).movePointLeft(2),
        Instant.ofEpochSecond(1_700_000_000L + number, number),
        State.values()[number % State.values().length],
        content,
        List.of("depot", "stop " + number),
        Map.of("doors", (long) number),
        number % 3 == 0 ? Optional.empty() : Optional.of("note " + number));
  }
}
