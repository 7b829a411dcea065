package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.Shapes;
import io.howdah.codec.derived.ShapeText.Shape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
    implements Codec<R>, Part.SelfDelimiting {

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
    return shape == number && shape != 0 ? body.decode(in) : readers.of(shape).read(in);
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
        known = text == null ? known : History.readers(type, ShapeText.shapes(name, text));
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

  /**
   * The shapes that a record has had in a store, and the rules by which a program may go on with
   * them. Shapes are numbered from 1. A value begins with the number of its shape.
   *
   * <ul>
   *   <li>A shape that the store does not have is added, and is the newest from then on; unless the
   *       record's version is smaller than the newest shape's.
   *   <li>A program writes the newest shape only. One whose shape is older reads all values. It is
   *       refused when it writes, since what it does not know of would be lost.
   *   <li>Every shape must be readable: see {@link RecordReader}.
   * </ul>
   */
  static final class History {

    private History() {}

    /** Returns the codec of a record in a store. */
    static <R> Codec<R> bind(RecordType<R> type, Shapes shapes) {
      String name = type.name().name();
      Shapes.Entry entry = shapes.open(name, type.name().formerNames(), text -> update(type, text));
      List<Shape> stored = ShapeText.shapes(entry.name(), entry.text());
      int own = stored.indexOf(type.shape()) + 1;
      if (own != stored.size()) {
        shapes.limited(
            entry.name(),
            "reads values and refuses to write them, since a newer program has stored "
                + newest(stored).components());
      }
      Readers<R> readers = new Readers<>(entry.name(), type, shapes, readers(type, stored));
      return new BoundRecordCodec<>(
          TypeName.codec(ShapeText.RECORD, entry.name()),
          own == stored.size() ? own : 0,
          RecordClass.make(type),
          readers,
          newest(stored));
    }

    private static Shape newest(List<Shape> stored) {
      return stored.isEmpty() ? new Shape(0, List.of()) : stored.getLast();
    }

    private static String update(RecordType<?> type, @Nullable String text) {
      List<Shape> stored =
          text == null
              ? new ArrayList<>()
              : new ArrayList<>(ShapeText.shapes(type.name().name(), text));
      Shape own = type.shape();
      readers(type, stored); // a shape that cannot be read is refused before anything is stored
      if (!stored.contains(own) && newest(stored).version() <= own.version()) {
        stored.add(own);
      }
      return ShapeText.ofRecord(stored);
    }

    static <R> List<RecordReader<R>> readers(RecordType<R> type, List<Shape> stored) {
      int own = stored.indexOf(type.shape());
      boolean isOlder = newest(stored).version() > type.name().version();
      List<RecordReader<R>> readers = new ArrayList<>();
      for (int i = 0; i < stored.size(); i++) {
        Shape shape = stored.get(i);
        try {
          readers.add(RecordReader.of(type, shape, i + 1));
        } catch (CodecException e) {
          boolean isNewer = own < 0 ? isOlder && shape.version() > type.name().version() : i > own;
          throw isNewer ? olderThanTheStore(type, shape, e) : e;
        }
      }
      return readers;
    }

    /** No annotation of this program mends that: what it lacks is in another program. */
    private static CodecException olderThanTheStore(
        RecordType<?> type, Shape shape, CodecException cause) {
      return new CodecException(
          "this program is older than the store: a newer one has stored record "
              + type.name().name()
              + " with "
              + shape.components()
              + ", which this one, with "
              + type.shape().components()
              + ", cannot read. Use the newer program, or restore the backup from before it"
              + " (docs/upgrading.md). In detail: "
              + cause.getMessage(),
          cause);
    }
  }
}
