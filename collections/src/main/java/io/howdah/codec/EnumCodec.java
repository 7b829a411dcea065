package io.howdah.codec;

import java.util.HashMap;
import java.util.Map;

/** The constants of an enum by their names. */
final class EnumCodec<E extends Enum<E>> implements Codec<E> {

  private final Class<E> type;
  private final Map<String, E> byName = new HashMap<>();

  EnumCodec(Class<E> type) {
    this.type = type;
    for (E constant : type.getEnumConstants()) {
      byName.put(constant.name(), constant);
    }
  }

  @Override
  public String name() {
    return "enum " + type.getName();
  }

  @Override
  public void encode(E value, Encoder out) {
    Utf8Codec.INSTANCE.encode(value.name(), out);
  }

  @Override
  public E decode(Decoder in) {
    String name = Utf8Codec.INSTANCE.decode(in);
    E constant = byName.get(name);
    if (constant == null) {
      throw new CodecException(
          name()
              + " has no constant \""
              + name
              + "\"; constants may be added, but neither renamed"
              + " nor removed while the store holds them");
    }
    return constant;
  }
}
