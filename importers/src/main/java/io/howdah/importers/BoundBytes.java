package io.howdah.importers;

import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.imports.ImportType;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What bytes of a store that knows no types mean. */
@FunctionalInterface
interface BoundBytes {

  /** Returns what they mean, of the type that was named. */
  Object of(byte[] bytes);

  /** Returns bytes as they are, or texts of UTF-8. */
  static BoundBytes plain(@Nullable ImportType<?> type) {
    if (type == null || type.equals(ImportType.BYTES)) {
      return bytes -> bytes;
    }
    if (type.equals(ImportType.UTF8)) {
      return BoundBytes::text;
    }
    if (type.equals(ImportType.INT64)) {
      return bytes -> ByteBuffer.wrap(exactly(bytes, Long.BYTES)).getLong();
    }
    if (type.equals(ImportType.INT32)) {
      return bytes -> ByteBuffer.wrap(exactly(bytes, Integer.BYTES)).getInt();
    }
    throw new DataException(
        "bytes are not read as "
            + type.name()
            + "; --keys and --values are bytes, utf8, int64 or int32, these of big-endian bytes");
  }

  /** Makes sure of a length. */
  static byte[] exactly(byte[] bytes, int length) {
    if (bytes.length != length) {
      throw new IllegalArgumentException(
          "it has " + bytes.length + " bytes, where the type that was named has " + length);
    }
    return bytes;
  }

  private static Object text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("it is no text of UTF-8", e);
    }
  }
}
