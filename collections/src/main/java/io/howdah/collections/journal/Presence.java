package io.howdah.collections.journal;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;

/** The value of an element of a set in its journal: true, without bytes. */
public final class Presence implements Codec<Boolean> {

  /** The codec. */
  public static final Codec<Boolean> CODEC = new Presence();

  private Presence() {}

  @Override
  public String name() {
    return "presence";
  }

  @Override
  public int fixedLength() {
    return 0;
  }

  @Override
  public void encode(Boolean value, Encoder out) {
    // It takes no bytes.
  }

  @Override
  public Boolean decode(Decoder in) {
    return true;
  }
}
