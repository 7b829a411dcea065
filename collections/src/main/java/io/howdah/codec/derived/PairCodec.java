package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Pair;
import io.howdah.codec.Shapes;
import org.jspecify.annotations.Nullable;

/** Pairs: the first part, then the second, with the order of the first and then of the second. */
record PairCodec<A, B>(Part<A> first, Part<B> second)
    implements Codec<Pair<A, B>>, Part.SelfDelimiting {

  static <A, B> Codec<Pair<A, B>> of(Codec<A> first, Codec<B> second) {
    return new PairCodec<>(
        Part.element("the first of a pair", first), Part.element("the second of a pair", second));
  }

  @Override
  public String name() {
    return "pair of " + first.name() + " and " + second.name();
  }

  @Override
  public int fixedLength() {
    return sum(first, second);
  }

  private static int sum(Codec<?> first, Codec<?> second) {
    return first.fixedLength() < 0 || second.fixedLength() < 0
        ? VARIABLE
        : first.fixedLength() + second.fixedLength();
  }

  @Override
  public Codec<Pair<A, B>> bind(Shapes shapes) {
    return of(first.codec().bind(shapes), second.codec().bind(shapes));
  }

  @Override
  public void encode(Pair<A, B> value, Encoder out) {
    first.encode(value.first(), out);
    second.encode(value.second(), out);
  }

  @Override
  public Pair<A, B> decode(Decoder in) {
    A a = first.decode(in);
    return new Pair<>(a, second.decode(in));
  }

  /** The same with parts that have an order. */
  record Ordered<A, B>(OrderedCodec<A> first, OrderedCodec<B> second, PairCodec<A, B> codec)
      implements Part.OrderedSelfDelimiting<Pair<A, B>> {

    static <A, B> OrderedCodec<Pair<A, B>> of(OrderedCodec<A> first, OrderedCodec<B> second) {
      return new Ordered<>(
          first,
          second,
          new PairCodec<>(
              Part.ordered("the first of a pair", first),
              Part.ordered("the second of a pair", second)));
    }

    @Override
    public Codec<?> unordered() {
      return PairCodec.of(first, second);
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
    public OrderedCodec<Pair<A, B>> bind(Shapes shapes) {
      return of(first.bind(shapes), second.bind(shapes));
    }

    @Override
    public void encode(Pair<A, B> value, Encoder out) {
      codec.encode(value, out);
    }

    @Override
    public Pair<A, B> decode(Decoder in) {
      return codec.decode(in);
    }

    @Override
    public void encodePrefix(Encoder out, @Nullable Object... parts) {
      Part.encodePrefix(this, new Part<?>[] {codec.first, codec.second}, out, parts);
    }
  }
}
