package io.howdah.jmh.ycsb;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of a record as one value: for each field the length of its name and of its content, in
 * four bytes each, then both.
 */
final class RecordFields {

  private static final int LENGTHS = 2 * Integer.BYTES;

  private RecordFields() {}

  static byte[] encode(Map<String, byte[]> fields) {
    List<byte[]> names = new ArrayList<>();
    int length = 0;
    for (Map.Entry<String, byte[]> field : fields.entrySet()) {
      byte[] name = field.getKey().getBytes(StandardCharsets.UTF_8);
      names.add(name);
      length += LENGTHS + name.length + field.getValue().length;
    }
    ByteBuffer value = ByteBuffer.allocate(length);
    int next = 0;
    for (byte[] content : fields.values()) {
      byte[] name = names.get(next++);
      value.putInt(name.length).putInt(content.length).put(name).put(content);
    }
    return value.array();
  }

  /**
   * Returns the fields in their order.
   *
   * @throws IOException if these are not the bytes of a record
   */
  static Map<String, byte[]> decode(byte[] bytes) throws IOException {
    Map<String, byte[]> fields = new LinkedHashMap<>();
    ByteBuffer value = ByteBuffer.wrap(bytes);
    try {
      while (value.hasRemaining()) {
        int nameLength = value.getInt();
        int contentLength = value.getInt();
        if (nameLength < 0
            || contentLength < 0
            || (long) nameLength + contentLength > value.remaining()) {
          throw new IOException("the value is no record: a field of wrong length");
        }
        byte[] name = new byte[nameLength];
        byte[] content = new byte[contentLength];
        value.get(name).get(content);
        fields.put(new String(name, StandardCharsets.UTF_8), content);
      }
    } catch (BufferUnderflowException e) {
      throw new IOException("the value is no record: it ends within a field", e);
    }
    return fields;
  }
}
