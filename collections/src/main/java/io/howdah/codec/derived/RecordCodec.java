package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;
import org.jspecify.annotations.Nullable;

/**
 * Records by component, in the order of their declaration, as {@code RecordValueLayout} describes
 * them: outside of a store, and as keys, whose shape does not change. {@link BoundRecordCodec} is
 * for values in a store.
 */
final class RecordCodec<R> implements Codec<R>, Part.SelfDelimiting {

  private final RecordType<R> type;
  private volatile @Nullable Codec<R> body;

  RecordCodec(RecordType<R> type) {
    this.type = type;
  }

  @Override
  public String name() {
    return TypeName.codec(ShapeText.RECORD, type.name().name()) + type.codecs();
  }

  @Override
  public int fixedLength() {
    return type.fixedLength();
  }

  @Override
  public Codec<R> bind(Shapes shapes) {
    RecordType<R> bound = type.bind(shapes);
    return shapes.isForKeys()
        ? new RecordCodec<>(bound)
        : BoundRecordCodec.History.bind(bound, shapes);
  }

  /** Returns the class that works on the components; it is made when it is needed first. */
  private Codec<R> body() {
    Codec<R> made = body;
    if (made == null) {
      made = RecordClass.make(type);
      body = made;
    }
    return made;
  }

  @Override
  public void encode(R value, Encoder out) {
    body().encode(value, out);
  }

  @Override
  public R decode(Decoder in) {
    return body().decode(in);
  }

  /** Records whose components have an order each: the first decides, then the second. */
  record Ordered<R>(RecordType<R> type, RecordCodec<R> codec)
      implements Part.OrderedSelfDelimiting<R> {

    Ordered(RecordType<R> type) {
      this(type, new RecordCodec<>(type));
    }

    @Override
    public String name() {
      return "ordered " + codec.name();
    }

    @Override
    public int fixedLength() {
      return codec.fixedLength();
    }

    @Override
    public OrderedCodec<R> bind(Shapes shapes) {
      return new Ordered<>(type.bind(shapes));
    }

    @Override
    public void encode(R value, Encoder out) {
      codec.encode(value, out);
    }

    @Override
    public R decode(Decoder in) {
      return codec.decode(in);
    }

    @Override
    public void encodePrefix(Encoder out, @Nullable Object... parts) {
      Part<?>[] components =
          type.components().stream().map(RecordType.Component::part).toArray(Part<?>[]::new);
      Part.encodePrefix(this, components, out, parts);
    }
  }
}
