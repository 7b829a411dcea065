package io.howdah.codec.derived;

import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.function.Function;

/** Codecs of {@code java.time}: big-endian fields, the most significant first. */
final class Times {

  static final OrderedCodec<Instant> INSTANT =
      new FixedCodec<>(
          "instant",
          Long.BYTES + Integer.BYTES,
          (v, out) -> put(v.getEpochSecond(), v.getNano(), out),
          checked("instant", Times::instant));

  static final OrderedCodec<Duration> DURATION =
      new FixedCodec<>(
          "duration",
          Long.BYTES + Integer.BYTES,
          (v, out) -> put(v.getSeconds(), v.getNano(), out),
          checked(
              "duration",
              in -> Duration.ofSeconds(in.getBigEndianLong() ^ Long.MIN_VALUE, nanos(in))));

  static final OrderedCodec<LocalDate> LOCAL_DATE =
      new FixedCodec<>(
          "local date", Integer.BYTES + 2, Times::putDate, checked("local date", Times::date));

  static final OrderedCodec<Year> YEAR =
      new FixedCodec<>(
          "year",
          Integer.BYTES,
          (v, out) -> out.putBigEndianInt(v.getValue() ^ Integer.MIN_VALUE),
          checked("year", in -> Year.of(in.getBigEndianInt() ^ Integer.MIN_VALUE)));

  static final OrderedCodec<YearMonth> YEAR_MONTH =
      new FixedCodec<>(
          "year-month",
          Integer.BYTES + 1,
          (v, out) -> {
            out.putBigEndianInt(v.getYear() ^ Integer.MIN_VALUE);
            out.putByte(v.getMonthValue());
          },
          checked(
              "year-month",
              in -> YearMonth.of(in.getBigEndianInt() ^ Integer.MIN_VALUE, in.getByte())));

  static final OrderedCodec<LocalTime> LOCAL_TIME =
      new FixedCodec<>(
          "local time",
          Long.BYTES,
          (v, out) -> out.putBigEndianLong(v.toNanoOfDay()),
          checked("local time", in -> LocalTime.ofNanoOfDay(in.getBigEndianLong())));

  static final OrderedCodec<LocalDateTime> LOCAL_DATE_TIME =
      new FixedCodec<>(
          "local date-time",
          Integer.BYTES + 2 + Long.BYTES,
          (v, out) -> {
            putDate(v.toLocalDate(), out);
            out.putBigEndianLong(v.toLocalTime().toNanoOfDay());
          },
          checked(
              "local date-time",
              in -> LocalDateTime.of(date(in), LocalTime.ofNanoOfDay(in.getBigEndianLong()))));

  static final OrderedCodec<OffsetDateTime> OFFSET_DATE_TIME =
      new FixedCodec<>(
          "offset date-time",
          Long.BYTES + 2 * Integer.BYTES,
          (v, out) -> {
            put(v.toEpochSecond(), v.getNano(), out);
            putOffset(v.getOffset(), out);
          },
          checked(
              "offset date-time",
              in -> {
                long second = in.getBigEndianLong() ^ Long.MIN_VALUE;
                int nanos = nanos(in);
                ZoneOffset offset = offset(in);
                return OffsetDateTime.of(
                    LocalDateTime.ofEpochSecond(second, nanos, offset), offset);
              }));

  static final OrderedCodec<ZonedDateTime> ZONED_DATE_TIME = new Zoned();

  private Times() {}

  private static <T> Function<Decoder, T> checked(String name, Function<Decoder, T> decoder) {
    return in -> {
      try {
        return decoder.apply(in);
      } catch (DateTimeException | ArithmeticException e) {
        throw new CodecException("the bytes are no " + name + ": " + e.getMessage(), e);
      }
    };
  }

  private static void put(long seconds, int nanos, Encoder out) {
    out.putBigEndianLong(seconds ^ Long.MIN_VALUE);
    out.putBigEndianInt(nanos);
  }

  private static Instant instant(Decoder in) {
    return Instant.ofEpochSecond(in.getBigEndianLong() ^ Long.MIN_VALUE, nanos(in));
  }

  private static int nanos(Decoder in) {
    int nanos = in.getBigEndianInt();
    if (nanos < 0 || nanos > 999_999_999) {
      throw new DateTimeException("a second does not have " + nanos + " nanoseconds");
    }
    return nanos;
  }

  private static void putDate(LocalDate date, Encoder out) {
    out.putBigEndianInt(date.getYear() ^ Integer.MIN_VALUE);
    out.putByte(date.getMonthValue());
    out.putByte(date.getDayOfMonth());
  }

  private static LocalDate date(Decoder in) {
    return LocalDate.of(in.getBigEndianInt() ^ Integer.MIN_VALUE, in.getByte(), in.getByte());
  }

  private static void putOffset(ZoneOffset offset, Encoder out) {
    out.putBigEndianInt(offset.getTotalSeconds() ^ Integer.MIN_VALUE);
  }

  private static ZoneOffset offset(Decoder in) {
    return ZoneOffset.ofTotalSeconds(in.getBigEndianInt() ^ Integer.MIN_VALUE);
  }

  /**
   * By the instant, the offset, and the zone's name. The instant counts: if the zone's rules have
   * changed since, the local time follows them.
   */
  private static final class Zoned implements OrderedCodec<ZonedDateTime> {
    @Override
    public String name() {
      return "zoned date-time";
    }

    @Override
    public void encode(ZonedDateTime value, Encoder out) {
      put(value.toEpochSecond(), value.getNano(), out);
      putOffset(value.getOffset(), out);
      out.putUtf8(value.getZone().getId());
    }

    @Override
    public ZonedDateTime decode(Decoder in) {
      try {
        long second = in.getBigEndianLong() ^ Long.MIN_VALUE;
        int nanos = nanos(in);
        ZoneOffset offset = offset(in);
        String id = in.getUtf8(in.remaining());
        ZoneId zone = ZoneId.of(id);
        boolean isFixed = zone instanceof ZoneOffset;
        if (!zone.getId().equals(id) || (isFixed && !zone.equals(offset))) {
          // Its key has other bytes. Rules of a region may have changed, those of an offset not.
          throw new DateTimeException(
              "zone " + id + " with offset " + offset + " is not stored so");
        }
        return ZonedDateTime.ofInstant(
            LocalDateTime.ofEpochSecond(second, nanos, offset), offset, zone);
      } catch (DateTimeException e) {
        throw new CodecException("the bytes are no zoned date-time: " + e.getMessage(), e);
      }
    }
  }
}
