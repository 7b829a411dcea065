package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.OrderedCodec;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Currency;
import java.util.IllformedLocaleException;
import java.util.Locale;

/** Codecs of types of the JDK that have a text: in the order of their texts. */
final class Texts {

  static final OrderedCodec<Currency> CURRENCY =
      new MappedCodec.Ordered<>(
          "currency", Codec.utf8(), Texts::currency, Currency::getCurrencyCode);

  static final OrderedCodec<Locale> LOCALE =
      new MappedCodec.Ordered<>("locale", Codec.utf8(), Texts::locale, Texts::tag);

  static final OrderedCodec<URI> ADDRESS =
      new MappedCodec.Ordered<>("uri", Codec.utf8(), Texts::address, URI::toString);

  private Texts() {}

  private static Currency currency(String code) {
    try {
      return Currency.getInstance(code);
    } catch (IllegalArgumentException e) {
      throw new CodecException("this JDK has no currency " + code, e);
    }
  }

  private static Locale locale(String tag) {
    if (tag.isEmpty()) {
      return Locale.ROOT;
    }
    Locale locale;
    try {
      locale = new Locale.Builder().setLanguageTag(tag).build();
    } catch (IllformedLocaleException e) {
      throw new CodecException(tag + " is no tag of a locale", e);
    }
    if (!text(locale).equals(tag)) {
      throw new CodecException("a locale is not stored as " + tag + " but as " + text(locale));
    }
    return locale;
  }

  private static String text(Locale locale) {
    return locale.equals(Locale.ROOT) ? "" : locale.toLanguageTag();
  }

  /** Returns the tag of BCP 47; a locale that it does not describe would come back as another. */
  private static String tag(Locale locale) {
    String tag = text(locale);
    Locale read = locale.equals(Locale.ROOT) ? locale : Locale.forLanguageTag(tag);
    if (!read.equals(locale)) {
      throw new CodecException(
          "the locale "
              + locale
              + " has parts that its language tag "
              + tag
              + " does not have, so it would be read as another locale");
    }
    return tag;
  }

  private static URI address(String text) {
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      throw new CodecException("the bytes are no URI: " + e.getMessage(), e);
    }
  }
}
