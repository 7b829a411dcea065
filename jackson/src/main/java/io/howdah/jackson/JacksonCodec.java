package io.howdah.jackson;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * Values as Jackson writes them: as JSON, or in the format of the mapper. The type may change as
 * far as the mapper reads what was written before: by default a property that the type does not
 * have is skipped, and one that is absent becomes null or zero.
 *
 * <p>It is for values. Keys are compared by their bytes, and Jackson does not promise that equal
 * objects are written alike: a set, for example, in the order of its iteration.
 *
 * <p>Immutable and thread-safe, as mappers are.
 *
 * @param <T> the values
 */
public final class JacksonCodec<T> implements Codec<T> {

  private final ObjectMapper mapper;
  private final JavaType type;
  private final String name;

  private JacksonCodec(ObjectMapper mapper, JavaType type) {
    this.mapper = mapper;
    this.type = type;
    this.name = "jackson/" + mapper.tokenStreamFactory().getFormatName() + "/" + type.toCanonical();
  }

  /** Returns the codec of a class as JSON, by a mapper with Jackson's defaults. */
  public static <T> JacksonCodec<T> of(Class<T> type) {
    return of(type, JsonMapper.shared());
  }

  /**
   * Returns the codec of a class.
   *
   * @param mapper whose format and configuration are used; the format is a part of the name
   */
  public static <T> JacksonCodec<T> of(Class<T> type, ObjectMapper mapper) {
    return new JacksonCodec<>(mapper, mapper.constructType(type));
  }

  /**
   * Returns the codec of a type with parameters, such as {@code new TypeReference<List<Order>>()
   * {}}.
   */
  public static <T> JacksonCodec<T> of(TypeReference<T> type, ObjectMapper mapper) {
    return new JacksonCodec<>(mapper, mapper.constructType(type));
  }

  /** Returns the format and the type: {@code jackson/JSON/com.example.Order}. */
  @Override
  public String name() {
    return name;
  }

  /**
   * Appends what the mapper writes.
   *
   * @throws CodecException if Jackson cannot write the value; names the type
   */
  @Override
  public void encode(T value, Encoder out) {
    byte[] bytes;
    try {
      bytes = mapper.writerFor(type).writeValueAsBytes(value);
    } catch (JacksonException e) {
      throw new CodecException(name + " cannot write a value: " + e.getOriginalMessage(), e);
    }
    out.putBytes(bytes);
  }

  /**
   * Returns what the mapper reads.
   *
   * @throws CodecException if the bytes are none of the format, or do not fit the type; names it
   */
  @Override
  public T decode(Decoder in) {
    byte[] bytes = in.getBytes(in.remaining());
    T value;
    try {
      value = mapper.readerFor(type).readValue(bytes);
    } catch (JacksonException e) {
      throw new CodecException(
          name + " cannot read " + bytes.length + " bytes: " + e.getOriginalMessage(), e);
    }
    if (value == null) {
      throw new CodecException(name + " has read null, which no collection holds");
    }
    return value;
  }
}
