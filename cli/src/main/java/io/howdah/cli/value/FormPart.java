package io.howdah.cli.value;

import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.derived.Codecs;
import io.howdah.core.layout.OrderedKeyLayout;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** A value inside of another one, and how its end is found. */
record FormPart(ValueForm form, Framing framing) {

  /** How the end of a part is found. */
  enum Framing {
    /** By its own bytes, or by its fixed length. */
    NONE,
    /** The length stands before it. */
    LENGTH,
    /** Zeros are escaped, and an end follows, see {@link OrderedKeyLayout}. */
    ESCAPED
  }

  /** Returns a component of a record. */
  static FormPart component(ValueForm form) {
    return new FormPart(form, form.fixedLength() >= 0 ? Framing.NONE : Framing.LENGTH);
  }

  /** Returns a part of a pair, or a value that may be absent. */
  static FormPart element(ValueForm form) {
    return new FormPart(form, isBounded(form) ? Framing.NONE : Framing.LENGTH);
  }

  /** Returns an element of a collection that may have many: it takes a byte at least. */
  static FormPart repeated(ValueForm form) {
    return form.fixedLength() == 0 ? new FormPart(form, Framing.LENGTH) : element(form);
  }

  /** Returns a part of a key whose bytes have an order. */
  static FormPart ordered(ValueForm form) {
    return new FormPart(form, isBounded(form) ? Framing.NONE : Framing.ESCAPED);
  }

  private static boolean isBounded(ValueForm form) {
    return form.isSelfDelimiting() || form.fixedLength() >= 0;
  }

  void encode(@Nullable Object tree, Encoder out) {
    if (framing == Framing.NONE) {
      form.encode(tree, out);
      return;
    }
    byte[] part = bytes(form, tree);
    if (framing == Framing.LENGTH) {
      out.putVarint(part.length);
      out.putBytes(part);
    } else {
      putEscaped(part, out, 0);
    }
  }

  /** Appends bytes with escapes and an end, each combined with a mask by exclusive or. */
  static void putEscaped(byte[] part, Encoder out, int mask) {
    for (byte each : part) {
      out.putByte(each ^ mask);
      if (each == OrderedKeyLayout.ESCAPE) {
        out.putByte(OrderedKeyLayout.ESCAPED_ZERO ^ mask);
      }
    }
    out.putByte(OrderedKeyLayout.ESCAPE ^ mask);
    out.putByte(OrderedKeyLayout.END ^ mask);
  }

  @Nullable Object decode(Decoder in) {
    return switch (framing) {
      case NONE -> form.decode(in);
      case LENGTH -> form.decode(in.slice(in.getVarint()));
      case ESCAPED -> value(form, unescaped(in, 0));
    };
  }

  /** Reads what {@link #putEscaped} has written. */
  static byte[] unescaped(Decoder in, int mask) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (true) {
      byte next = (byte) (in.getByte() ^ mask);
      if (next == OrderedKeyLayout.ESCAPE) {
        byte after = (byte) (in.getByte() ^ mask);
        if (after == OrderedKeyLayout.END) {
          return bytes.toByteArray();
        }
        if (after != OrderedKeyLayout.ESCAPED_ZERO) {
          throw new CodecException("a part of a key has no end: its bytes are damaged");
        }
      }
      bytes.write(next);
    }
  }

  /** Returns the bytes of a value of a form. */
  static byte[] bytes(ValueForm form, @Nullable Object tree) {
    return Codecs.encode(DescribedCodec.of(form), new JsonValue(tree));
  }

  /** Returns the value of a form that has bytes. */
  static @Nullable Object value(ValueForm form, byte[] bytes) {
    return Codecs.decode(DescribedCodec.of(form), bytes).tree();
  }
}
