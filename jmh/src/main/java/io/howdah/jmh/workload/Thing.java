package io.howdah.jmh.workload;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;

/**
 * A row of {@link Vacation}'s tables: something to reserve.
 *
 * @param total how many there are
 * @param used how many of them are reserved
 * @param price of one
 */
record Thing(long total, long used, long price) {

  static final Codec<Thing> CODEC =
      new Codec<>() {
        @Override
        public String name() {
          return "vacation.thing";
        }

        @Override
        public void encode(Thing thing, Encoder to) {
          to.putLong(thing.total);
          to.putLong(thing.used);
          to.putLong(thing.price);
        }

        @Override
        public Thing decode(Decoder from) {
          return new Thing(from.getLong(), from.getLong(), from.getLong());
        }

        @Override
        public int fixedLength() {
          return 3 * Long.BYTES;
        }
      };

  long free() {
    return total - used;
  }

  Thing used(int more) {
    return new Thing(total, used + more, price);
  }
}
