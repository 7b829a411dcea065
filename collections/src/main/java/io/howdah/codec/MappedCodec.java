package io.howdah.codec;

import java.util.function.Function;

/**
 * Values that another codec's values stand for.
 *
 * @param name of the encoding
 */
record MappedCodec<A, B>(
    String name,
    Codec<A> codec,
    Function<? super A, ? extends B> fromStored,
    Function<? super B, ? extends A> toStored)
    implements Codec<B> {

  @Override
  public int fixedLength() {
    return codec.fixedLength();
  }

  @Override
  public Codec<B> bind(Shapes shapes) {
    return new MappedCodec<>(name, codec.bind(shapes), fromStored, toStored);
  }

  @Override
  public void encode(B value, Encoder out) {
    codec.encode(toStored.apply(value), out);
  }

  @Override
  public B decode(Decoder in) {
    return fromStored.apply(codec.decode(in));
  }

  /** The same with an order: that of the values that are stored. */
  record Ordered<A, B>(
      String name,
      OrderedCodec<A> codec,
      Function<? super A, ? extends B> fromStored,
      Function<? super B, ? extends A> toStored)
      implements OrderedCodec<B> {

    @Override
    public int fixedLength() {
      return codec.fixedLength();
    }

    @Override
    public OrderedCodec<B> bind(Shapes shapes) {
      return new Ordered<>(name, codec.bind(shapes), fromStored, toStored);
    }

    @Override
    public void encode(B value, Encoder out) {
      codec.encode(toStored.apply(value), out);
    }

    @Override
    public B decode(Decoder in) {
      return fromStored.apply(codec.decode(in));
    }
  }
}
