package io.howdah.cli.value;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values that consist of others, whose types their own name has. */
final class PartForms {

  private static final String BYTES = "bytes";

  private PartForms() {}

  /** Lists, sets and arrays: a count, then the elements. */
  record Elements(String name, FormPart element) implements ValueForm {

    @Override
    public int fixedLength() {
      return Codec.VARIABLE;
    }

    @Override
    public boolean isSelfDelimiting() {
      return true;
    }

    @Override
    public void encode(@Nullable Object tree, Encoder out) {
      List<?> list = list(tree, name);
      out.putVarint(list.size());
      list.forEach(each -> element.encode(each, out));
    }

    @Override
    public Object decode(Decoder in) {
      List<@Nullable Object> list = new ArrayList<>();
      for (int left = count(in); left > 0; left--) {
        list.add(element.decode(in));
      }
      return list;
    }
  }

  /**
   * Maps: a count, then each key and value. An object in JSON if keys are, else an array of pairs.
   */
  record Entries(String name, FormPart key, FormPart value) implements ValueForm {

    @Override
    public int fixedLength() {
      return Codec.VARIABLE;
    }

    @Override
    public boolean isSelfDelimiting() {
      return true;
    }

    private boolean isObject() {
      return key.form() instanceof ScalarForm || key.form() instanceof TypeForms.Constants;
    }

    @Override
    public void encode(@Nullable Object tree, Encoder out) {
      if (isObject()) {
        Map<?, ?> map = map(tree, name);
        out.putVarint(map.size());
        map.forEach((k, v) -> encodeEntry(k, v, out));
        return;
      }
      List<?> pairs = list(tree, name);
      out.putVarint(pairs.size());
      for (Object each : pairs) {
        List<?> pair = list(each, 2, "an entry of " + name);
        encodeEntry(pair.get(0), pair.get(1), out);
      }
    }

    private void encodeEntry(@Nullable Object k, @Nullable Object v, Encoder out) {
      key.encode(k, out);
      value.encode(v, out);
    }

    @Override
    public Object decode(Decoder in) {
      int left = count(in);
      Map<String, @Nullable Object> map = new LinkedHashMap<>();
      List<@Nullable Object> pairs = new ArrayList<>();
      for (; left > 0; left--) {
        Object k = key.decode(in);
        Object v = value.decode(in);
        if (isObject()) {
          map.put(String.valueOf(k), v);
        } else {
          pairs.add(pair(k, v));
        }
      }
      return isObject() ? map : pairs;
    }
  }

  /** Values that may be absent: null in JSON. */
  record Absent(String name, FormPart present) implements ValueForm {

    @Override
    public int fixedLength() {
      return Codec.VARIABLE;
    }

    @Override
    public boolean isSelfDelimiting() {
      return true;
    }

    @Override
    public void encode(@Nullable Object tree, Encoder out) {
      out.putByte(tree == null ? 0 : 1);
      if (tree != null) {
        present.encode(tree, out);
      }
    }

    @Override
    public @Nullable Object decode(Decoder in) {
      return switch (in.getByte()) {
        case 0 -> null;
        case 1 -> present.decode(in);
        default -> throw new CodecException(name + " begins with 0 or 1: its bytes are damaged");
      };
    }
  }

  /** Parts one after the other: pairs, and records that are keys, whose names no store has. */
  record Tuple(String name, List<FormPart> parts) implements ValueForm {

    @Override
    public int fixedLength() {
      int length = 0;
      for (FormPart part : parts) {
        int own = part.form().fixedLength();
        length = length < 0 || own < 0 ? Codec.VARIABLE : length + own;
      }
      return length;
    }

    @Override
    public boolean isSelfDelimiting() {
      return true;
    }

    @Override
    public void encode(@Nullable Object tree, Encoder out) {
      List<?> values = list(tree, parts.size(), name);
      for (int i = 0; i < parts.size(); i++) {
        parts.get(i).encode(values.get(i), out);
      }
    }

    @Override
    public Object decode(Decoder in) {
      List<@Nullable Object> values = new ArrayList<>();
      parts.forEach(part -> values.add(part.decode(in)));
      return values;
    }
  }

  /** The opposite order: the complement of each byte. */
  record Descending(String name, ValueForm form) implements ValueForm {

    private static final int MASK = 0xFF;

    @Override
    public int fixedLength() {
      return form.fixedLength();
    }

    @Override
    public boolean isSelfDelimiting() {
      return true;
    }

    @Override
    public void encode(@Nullable Object tree, Encoder out) {
      byte[] plain = FormPart.bytes(form, tree);
      if (form.fixedLength() < 0) {
        FormPart.putEscaped(plain, out, MASK);
      } else {
        for (byte each : plain) {
          out.putByte(each ^ MASK);
        }
      }
    }

    @Override
    public @Nullable Object decode(Decoder in) {
      if (form.fixedLength() < 0) {
        return FormPart.value(form, FormPart.unescaped(in, MASK));
      }
      byte[] bytes = in.getBytes(form.fixedLength());
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] ^= (byte) MASK;
      }
      return FormPart.value(form, bytes);
    }
  }

  /** Values of a codec that only the program knows: their bytes in hexadecimal digits. */
  record Opaque(String name, int fixedLength) implements ValueForm {

    @Override
    public boolean isSelfDelimiting() {
      return false;
    }

    @Override
    public void encode(@Nullable Object tree, Encoder out) {
      if (!(tree instanceof Map<?, ?> map && map.get(BYTES) instanceof String digits)) {
        throw new ValueException(
            "only the program knows the codec \""
                + name
                + "\"; such a value is {\"bytes\": \"hexadecimal digits\"}, not "
                + JsonTree.of(tree));
      }
      try {
        out.putBytes(HexFormat.of().parseHex(digits));
      } catch (IllegalArgumentException e) {
        throw new ValueException("\"" + digits + "\" are no hexadecimal digits", e);
      }
    }

    @Override
    public Object decode(Decoder in) {
      byte[] bytes = in.getBytes(fixedLength < 0 ? in.remaining() : fixedLength);
      return Map.of(BYTES, HexFormat.of().formatHex(bytes));
    }
  }

  static List<?> list(@Nullable Object tree, String name) {
    if (!(tree instanceof List<?> list)) {
      throw new ValueException("a " + name + " is an array, not " + JsonTree.of(tree));
    }
    return list;
  }

  private static List<?> list(@Nullable Object tree, int size, String name) {
    if (!(tree instanceof List<?> list && list.size() == size)) {
      throw new ValueException(
          name + " is an array of " + size + " values, not " + JsonTree.of(tree));
    }
    return list;
  }

  static Map<?, ?> map(@Nullable Object tree, String name) {
    if (!(tree instanceof Map<?, ?> map)) {
      throw new ValueException("a " + name + " is an object, not " + JsonTree.of(tree));
    }
    return map;
  }

  private static List<@Nullable Object> pair(@Nullable Object first, @Nullable Object second) {
    List<@Nullable Object> pair = new ArrayList<>();
    pair.add(first);
    pair.add(second);
    return pair;
  }

  /** Reads a count, which is no more than there are bytes for. */
  private static int count(Decoder in) {
    int count = in.getVarint();
    if (count > in.remaining()) {
      throw new CodecException(
          "there are " + in.remaining() + " bytes for " + count + " elements: they are damaged");
    }
    return count;
  }
}
