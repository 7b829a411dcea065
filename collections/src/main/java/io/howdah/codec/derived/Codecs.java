package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Encoder;
import io.howdah.codec.EncryptionKeys;
import io.howdah.codec.FormerName;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Pair;
import io.howdah.codec.PersistentName;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.codec.bytes.EncodingTooLongException;
import java.lang.invoke.MethodHandles;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Codecs for the values that services have: derived from a class, of the types of the JDK, and made
 * of other codecs.
 *
 * {@snippet :
 * record Order(UUID id, String customer, List<Line> lines, BigDecimal total, Instant at) {}
 * record ByCustomer(String customer, Instant at, UUID id) {}
 *
 * PersistentMap<UUID, Order> orders =
 *     store.map("orders", Codecs.uuid(), Codecs.of(Order.class));
 * PersistentSortedMap<ByCustomer, Integer> byCustomer =
 *     store.sortedMap("by customer", Codecs.ordered(ByCustomer.class), Codec.int32());
 * }
 */
public final class Codecs {

  private Codecs() {}

  // ---- Derived.

  /**
   * Returns the codec of a class: a record, an enum, a sealed interface of records and enums, or a
   * type that this class has a codec for. Components may be of all these, and lists, sets, maps,
   * arrays and optionals of them. A component may be null if it is annotated with {@code Nullable}
   * of any library whose annotation is there at run time.
   *
   * <p>As values of a collection, records may change: see {@link PersistentName}, {@link
   * FormerName} and {@link CodecRegistry}. As keys, and as elements of a set, they keep their
   * components' types.
   *
   * <p>The class must be seen by Howdah: it is on the class path, in whatever class loader, or in a
   * package that is open to Howdah. In other named modules use {@link #of(MethodHandles.Lookup,
   * Class)}. Records of another class loader than Howdah's are read and written by reflection, with
   * the same bytes and slower, unless a lookup of their own is given.
   *
   * @throws CodecException if a component has no codec; names it
   */
  public static <T> Codec<T> of(Class<T> type) {
    return CodecRegistry.defaults().of(type);
  }

  /**
   * Returns the codec of a class that the caller sees; see {@link #of(Class)}.
   *
   * @param lookup {@code MethodHandles.lookup()}
   */
  public static <T> Codec<T> of(MethodHandles.Lookup lookup, Class<T> type) {
    return CodecRegistry.defaults().withLookup(lookup).of(type);
  }

  /**
   * Returns the codec of a class whose bytes have the values' order: of a record, by its first
   * component, then its second, and so on; of an enum, by ordinal, where new constants may be added
   * at the end only. It is for keys: its components keep their types.
   *
   * @throws CodecException if a component has no order; names it
   */
  public static <T> OrderedCodec<T> ordered(Class<T> type) {
    return CodecRegistry.defaults().ordered(type);
  }

  /** Returns such a codec of a class that the caller sees. */
  public static <T> OrderedCodec<T> ordered(MethodHandles.Lookup lookup, Class<T> type) {
    return CodecRegistry.defaults().withLookup(lookup).ordered(type);
  }

  // ---- Types of the JDK.

  /** Returns the codec of instants: 12 bytes. */
  public static OrderedCodec<Instant> instant() {
    return Times.INSTANT;
  }

  /** Returns the codec of durations: 12 bytes. */
  public static OrderedCodec<Duration> duration() {
    return Times.DURATION;
  }

  /** Returns the codec of dates: 6 bytes. */
  public static OrderedCodec<LocalDate> localDate() {
    return Times.LOCAL_DATE;
  }

  /** Returns the codec of times of day: 8 bytes. */
  public static OrderedCodec<LocalTime> localTime() {
    return Times.LOCAL_TIME;
  }

  /** Returns the codec of dates with times: 14 bytes. */
  public static OrderedCodec<LocalDateTime> localDateTime() {
    return Times.LOCAL_DATE_TIME;
  }

  /** Returns the codec of dates with times and offsets, by instant, then by offset: 16 bytes. */
  public static OrderedCodec<OffsetDateTime> offsetDateTime() {
    return Times.OFFSET_DATE_TIME;
  }

  /**
   * Returns the codec of dates with times and zones, by instant, then by offset, then by the zone's
   * name. It keeps the instant: if the zone's rules have changed, the local time follows them.
   */
  public static OrderedCodec<ZonedDateTime> zonedDateTime() {
    return Times.ZONED_DATE_TIME;
  }

  /** Returns the codec of years: 4 bytes. */
  public static OrderedCodec<Year> year() {
    return Times.YEAR;
  }

  /** Returns the codec of months of a year: 5 bytes. */
  public static OrderedCodec<YearMonth> yearMonth() {
    return Times.YEAR_MONTH;
  }

  /** Returns the codec of currencies, by their codes of ISO 4217. */
  public static OrderedCodec<Currency> currency() {
    return Texts.CURRENCY;
  }

  /**
   * Returns the codec of locales, by their language tags of BCP 47.
   *
   * @throws CodecException when a locale is encoded that its tag does not describe, as the old
   *     {@code no_NO_NY}
   */
  public static OrderedCodec<Locale> locale() {
    return Texts.LOCALE;
  }

  /**
   * Returns the codec of URIs, by their texts. URIs that are equal but for upper and lower case, as
   * of a host, are different keys.
   */
  public static OrderedCodec<URI> uri() {
    return Texts.ADDRESS;
  }

  /**
   * Returns the codec of UUIDs: 16 bytes, in the order of their text form, which is by time for
   * version 7. {@link UUID#compareTo} has another order, since it compares signed halves.
   */
  public static OrderedCodec<UUID> uuid() {
    return Numbers.UNIQUE_ID;
  }

  /** Returns the codec of whole numbers of any length. */
  public static OrderedCodec<BigInteger> bigInteger() {
    return Numbers.BIG_INTEGER;
  }

  /**
   * Returns the codec of decimal numbers, which keeps the scale. Numbers that are equal but for it,
   * as 2.0 and 2.00, are different keys, the smaller scale first.
   *
   * @throws CodecException when a number is encoded that ends with more than 512 zeros, or has more
   *     than 65,536 digits before them
   */
  public static OrderedCodec<BigDecimal> decimal() {
    return Numbers.DECIMAL;
  }

  // ---- Made of others.

  /** Returns the codec of lists; they cannot be changed when they have been read. */
  public static <E> Codec<List<E>> list(Codec<E> elements) {
    return ElementsCodec.list(elements);
  }

  /** Returns the codec of sets, which keep the order that they had; not for keys. */
  public static <E> Codec<Set<E>> set(Codec<E> elements) {
    return ElementsCodec.set(elements);
  }

  /** Returns the codec of maps, which keep the order that they had; not for keys. */
  public static <K, V> Codec<Map<K, V>> map(Codec<K> keys, Codec<V> values) {
    return ElementsCodec.OfMap.of(keys, values);
  }

  /** Returns the codec of values that may be absent. */
  public static <T> Codec<Optional<T>> optional(Codec<T> codec) {
    return AbsentCodec.optional(codec);
  }

  /** Returns the ordered codec of values that may be absent; the absent one comes first. */
  public static <T> OrderedCodec<Optional<T>> optional(OrderedCodec<T> codec) {
    return AbsentCodec.optional(codec);
  }

  /** Returns the codec of values that may be null: for components, elements and parts. */
  public static <T> Codec<@Nullable T> nullable(Codec<T> codec) {
    return AbsentCodec.nullable(codec);
  }

  /** Returns the ordered codec of values that may be null; null comes first. */
  public static <T> OrderedCodec<@Nullable T> nullable(OrderedCodec<T> codec) {
    return AbsentCodec.nullable(codec);
  }

  /** Returns the codec of pairs. */
  public static <A, B> Codec<Pair<A, B>> pair(Codec<A> first, Codec<B> second) {
    return PairCodec.of(first, second);
  }

  /** Returns the codec of pairs in the order of the first, then of the second. */
  public static <A, B> OrderedCodec<Pair<A, B>> pair(
      OrderedCodec<A> first, OrderedCodec<B> second) {
    return PairCodec.Ordered.of(first, second);
  }

  /** Returns the codec that has the opposite order. */
  public static <T> OrderedCodec<T> descending(OrderedCodec<T> codec) {
    return new DescendingCodec<>(codec);
  }

  /**
   * Returns the codec of a class whose values another codec's values stand for.
   *
   * @param name of the encoding, as {@link Codec#name}
   * @param fromStored makes a value; what it refuses, the collection refuses
   * @param toStored the inverse: equal values must give equal results
   */
  public static <A, B> Codec<B> map(
      String name,
      Codec<A> stored,
      Function<? super A, ? extends B> fromStored,
      Function<? super B, ? extends A> toStored) {
    return new MappedCodec<>(name, stored, fromStored, toStored);
  }

  /** Returns such a codec with the order of the values that are stored. */
  public static <A, B> OrderedCodec<B> map(
      String name,
      OrderedCodec<A> stored,
      Function<? super A, ? extends B> fromStored,
      Function<? super B, ? extends A> toStored) {
    return new MappedCodec.Ordered<>(name, stored, fromStored, toStored);
  }

  /**
   * Returns the codec that compresses the bytes of another one by Deflate, if they are 64 or more
   * and become fewer. Not for keys.
   */
  public static <T> Codec<T> compressed(Codec<T> codec) {
    return new CompressedCodec<>(codec);
  }

  /**
   * Returns the codec that encrypts and authenticates the bytes of another one with AES-GCM. It
   * adds 32 bytes: the key's number, a random nonce and a tag. Lengths are not hidden. A key must
   * not encrypt more than 2<sup>32</sup> values, since nonces are random. Not for keys of a
   * collection.
   */
  public static <T> Codec<T> encrypted(Codec<T> codec, EncryptionKeys keys) {
    return new EncryptedCodec<>(codec, keys);
  }

  // ---- Bytes of a value, outside of a collection.

  /**
   * Returns the bytes of a value: for a codec that frames values of another one, and for tests. A
   * codec that frames values of another one reads them by {@link io.howdah.codec.Decoder#slice},
   * which keeps the transaction.
   *
   * @throws CodecException if the codec refuses the value, or it has more than {@link
   *     Encoder#MAX_LENGTH} bytes
   */
  public static <T> byte[] encode(Codec<T> codec, T value) {
    EncodingBuffer out = new EncodingBuffer();
    try {
      codec.encode(value, out);
    } catch (EncodingTooLongException e) {
      throw new CodecException(
          "codec " + codec.name() + " has written " + e.getMessage() + " for one value", e);
    }
    return out.toBytes();
  }

  /**
   * Returns the value that has bytes. Outside of a transaction: a codec of references cannot decode
   * here.
   *
   * @param bytes as {@link #encode} has returned them
   * @throws CodecException if they are no bytes of a value
   */
  public static <T> T decode(Codec<T> codec, byte[] bytes) {
    DecodingBuffer in = new DecodingBuffer();
    in.wrap(bytes, 0, bytes.length);
    return codec.decode(in);
  }
}
