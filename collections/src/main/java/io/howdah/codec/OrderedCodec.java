package io.howdah.codec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A codec whose bytes, compared unsigned and one by one with the shorter first, have the values'
 * order: what sorted collections ask of their keys.
 *
 * @param <T> the values
 */
public interface OrderedCodec<T> extends Codec<T> {

  @Override
  default OrderedCodec<T> bind(Shapes shapes) {
    return this;
  }

  /**
   * Returns whether {@link #decode} takes exactly the bytes of its value, whatever follows them,
   * and no value's bytes are the beginning of another's. As a part of an ordered pair or record,
   * such a codec needs no end after its bytes. The answer is a part of the format, like {@link
   * #name}: it never changes.
   */
  default boolean isSelfDelimiting() {
    return false;
  }

  /**
   * Appends the bytes with which the encodings of all values begin that have these first parts, and
   * those of no others: the first components of a record or a pair, or the beginning of a string or
   * of an array of bytes.
   *
   * @param parts at least one; the last one may be a {@link Prefix}, for the beginning of that part
   * @throws CodecException if the values have no such parts
   */
  default void encodePrefix(Encoder out, @Nullable Object... parts) {
    throw new CodecException(
        name() + " has no parts to search by; records, pairs, strings and bytes have");
  }

  /**
   * The beginning of a part of a key, as the last part of a prefix: of a string or of bytes the
   * first of them, of a record or a pair its first components.
   *
   * {@snippet :
   * record ByCustomer(String customer, String order) {}
   *
   * byCustomer.range(tx, Range.prefix("alice", OrderedCodec.Prefix.of("2026-"))).toList();
   * }
   *
   * @param parts as {@link #encodePrefix} takes them; at least one
   */
  record Prefix(List<@Nullable Object> parts) {

    public Prefix {
      parts = Collections.unmodifiableList(new ArrayList<>(parts)); // null may be a part
    }

    /** Returns the beginning that has certain parts; the last one may be a beginning, too. */
    public static Prefix of(@Nullable Object... parts) {
      return new Prefix(Arrays.asList(parts));
    }

    /** Returns the names of the parts' classes, "null" for null: for messages. */
    public List<String> types() {
      return parts.stream().map(part -> part == null ? "null" : part.getClass().getName()).toList();
    }
  }
}
