package io.howdah.codec;

import io.howdah.codec.ShapeText.Shape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
final class RecordHistory {

  private RecordHistory() {}

  /** Returns the codec of a record in a store. */
  static <R> Codec<R> bind(RecordType<R> type, Shapes shapes) {
    String name = type.name().name();
    Shapes.Entry entry = shapes.open(name, type.name().formerNames(), text -> update(type, text));
    List<Shape> stored = ShapeText.shapes(entry.name(), entry.text());
    int own = stored.indexOf(type.shape()) + 1;
    BoundRecordCodec.Readers<R> readers =
        new BoundRecordCodec.Readers<>(entry.name(), type, shapes, readers(type, stored));
    return new BoundRecordCodec<>(
        "record " + entry.name(),
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
    List<RecordReader<R>> readers = new ArrayList<>();
    for (Shape shape : stored) {
      readers.add(RecordReader.of(type, shape, readers.size() + 1));
    }
    return readers;
  }
}
