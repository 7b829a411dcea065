package io.howdah.protobuf;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import java.io.IOException;

/**
 * Messages of one type. The type may change by the rules of Protocol Buffers: fields that the
 * program does not know are kept when a message is read and written again.
 *
 * <p>Maps are written in the order of their keys, so equal messages without unknown fields have
 * equal bytes in one version of the library. Protocol Buffers do not promise that for all versions.
 * So messages are for values rather than for keys.
 *
 * <p>Immutable and thread-safe.
 *
 * @param <T> the message type
 */
public final class ProtobufCodec<T extends Message> implements Codec<T> {

  private final T prototype;
  private final String name;

  private ProtobufCodec(T prototype) {
    this.prototype = prototype;
    this.name = "protobuf/" + prototype.getDescriptorForType().getFullName();
  }

  /**
   * Returns the codec of a message type.
   *
   * @param prototype any message of the type: {@code Order.getDefaultInstance()}
   */
  @SuppressWarnings("unchecked") // a message's default instance is one of its type
  public static <T extends Message> ProtobufCodec<T> of(T prototype) {
    return new ProtobufCodec<>((T) prototype.getDefaultInstanceForType());
  }

  /** Returns the full name of the message type: {@code protobuf/shop.Order}. */
  @Override
  public String name() {
    return name;
  }

  /**
   * Appends a message.
   *
   * @throws CodecException if a required field is missing, or the message is longer than 2 GiB
   */
  @Override
  public void encode(T value, Encoder out) {
    if (!value.isInitialized()) {
      throw new CodecException(
          name + ": required fields are missing: " + value.getInitializationErrorString());
    }
    byte[] bytes = new byte[value.getSerializedSize()];
    CodedOutputStream stream = CodedOutputStream.newInstance(bytes);
    stream.useDeterministicSerialization();
    try {
      value.writeTo(stream);
    } catch (IOException e) {
      throw new CodecException(name + " cannot write a message: " + e.getMessage(), e);
    }
    stream.checkNoSpaceLeft();
    out.putBytes(bytes);
  }

  /**
   * Returns a message.
   *
   * @throws CodecException if the bytes are none of this type
   */
  @Override
  @SuppressWarnings("unchecked") // the parser of a type makes messages of it
  public T decode(Decoder in) {
    byte[] bytes = in.getBytes(in.remaining());
    try {
      return (T) prototype.getParserForType().parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new CodecException(
          name + " cannot read " + bytes.length + " bytes: " + e.getMessage(), e);
    }
  }
}
