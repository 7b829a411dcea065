package io.howdah.codec.derived;

import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Values of one length that call no code of the program. A record, whose fields the JIT trusts. */
record FixedCodec<T>(
    String name, int fixedLength, BiConsumer<T, Encoder> encoder, Function<Decoder, T> decoder)
    implements OrderedCodec<T> {

  @Override
  public void encode(T value, Encoder out) {
    encoder.accept(value, out);
  }

  @Override
  public T decode(Decoder in) {
    return decoder.apply(in);
  }
}
