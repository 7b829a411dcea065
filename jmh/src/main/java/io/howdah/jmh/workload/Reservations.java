package io.howdah.jmh.workload;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import java.util.Arrays;

/** What a customer of {@link Vacation} has reserved. Immutable. */
final class Reservations {

  static final Reservations NONE = new Reservations(new long[0]);

  private static final int KIND_BITS = 2;
  private static final int WORDS = 2;

  static final Codec<Reservations> CODEC =
      new Codec<>() {
        @Override
        public String name() {
          return "vacation.reservations";
        }

        @Override
        public void encode(Reservations reservations, Encoder to) {
          for (long word : reservations.words) {
            to.putLong(word);
          }
        }

        @Override
        public Reservations decode(Decoder from) {
          long[] words = new long[from.remaining() / Long.BYTES];
          for (int i = 0; i < words.length; i++) {
            words[i] = from.getLong();
          }
          return words.length == 0 ? NONE : new Reservations(words);
        }
      };

  /** Two for each: the thing's number and kind, and the price at which it was reserved. */
  private final long[] words;

  private Reservations(long[] words) {
    this.words = words;
  }

  int count() {
    return words.length / WORDS;
  }

  int kind(int index) {
    return (int) words[WORDS * index] & ((1 << KIND_BITS) - 1);
  }

  long id(int index) {
    return words[WORDS * index] >>> KIND_BITS;
  }

  boolean contains(int kind, long id) {
    for (int i = 0; i < words.length; i += WORDS) {
      if (words[i] == word(kind, id)) {
        return true;
      }
    }
    return false;
  }

  Reservations plus(int kind, long id, long price) {
    long[] more = Arrays.copyOf(words, words.length + WORDS);
    more[words.length] = word(kind, id);
    more[words.length + 1] = price;
    return new Reservations(more);
  }

  private static long word(int kind, long id) {
    return id << KIND_BITS | kind;
  }
}
