package io.howdah.codec;

import io.howdah.codec.ShapeText.Shape;
import java.util.List;

/**
 * Records in a store: the number of the shape, then the components of the shape. A Java record,
 * whose fields the JIT trusts, so calls of the body can be inlined where the codec is a constant.
 *
 * @param number of the record's own shape, or 0 if the program must not write
 * @param body reads and writes the record's own components
 * @param readers of other shapes
 * @param newest shape of the store
 */
record BoundRecordCodec<R>(String name, int number, Codec<R> body, Readers<R> readers, Shape newest)
    implements Codec<R>, SelfDelimiting {

  @Override
  public void encode(R value, Encoder out) {
    if (number == 0) {
      throw readers.tooOld(newest);
    }
    out.putVarint(number);
    body.encode(value, out);
  }

  @Override
  public R decode(Decoder in) {
    int shape = in.getVarint();
    return shape == number ? body.decode(in) : readers.of(shape).read(in);
  }

  /** Readers by the numbers of shapes. Thread-safe. */
  static final class Readers<R> {
    private final String name;
    private final RecordType<R> type;
    private final Shapes shapes;
    private volatile List<RecordReader<R>> readers;

    Readers(String name, RecordType<R> type, Shapes shapes, List<RecordReader<R>> readers) {
      this.name = name;
      this.type = type;
      this.shapes = shapes;
      this.readers = readers;
    }

    RecordReader<R> of(int number) {
      List<RecordReader<R>> known = readers;
      if (number > known.size()) {
        // Another codec of this process may have added a shape since.
        String text = shapes.text(name);
        known = text == null ? known : RecordHistory.readers(type, ShapeText.shapes(name, text));
        readers = known;
      }
      if (number == 0 || number > known.size()) {
        throw new CodecException(
            "record "
                + name
                + " has "
                + known.size()
                + " shapes in this store, none of number "
                + number
                + ": the bytes were written by another codec, or are damaged");
      }
      return known.get(number - 1);
    }

    CodecException tooOld(Shape newest) {
      return new CodecException(
          "record "
              + name
              + " has the components "
              + type.shape().components()
              + " of version "
              + type.name().version()
              + " in this program, and a newer program has stored "
              + newest.components()
              + " of version "
              + newest.version()
              + ": this one may read, but not write, or components would be lost; use the newer"
              + " program, or raise @PersistentName.version to make this shape the newest");
    }
  }
}
