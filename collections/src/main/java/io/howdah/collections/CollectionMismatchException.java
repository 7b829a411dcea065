package io.howdah.collections;

import io.howdah.collections.index.IndexCatalogue;
import io.howdah.core.HowdahException;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A name of the store is taken by a collection of another kind, or with other codecs. */
public final class CollectionMismatchException extends HowdahException {

  private static final long serialVersionUID = 1L;

  private static final Pattern NAMED_TYPE =
      Pattern.compile("\\b(record|enum|sealed) ([^ (),\\[]+)");

  /** Creates one with a message for the person who has to act. */
  CollectionMismatchException(String message) {
    super(message);
  }

  /** Returns the refusal to open a collection as another type than the store has. */
  static CollectionMismatchException ofType(String name, String stored, String asked) {
    return new CollectionMismatchException(
        "\""
            + name
            + "\" is "
            + IndexCatalogue.withArticle(stored)
            + " in this store, and was asked for as "
            + IndexCatalogue.withArticle(asked)
            + "; "
            + advice(stored, asked));
  }

  private static String advice(String stored, String asked) {
    if (stored.equals(MapExpiry.expiring(asked))) {
      return "its entries expire: open it with an Expiry";
    }
    if (asked.equals(MapExpiry.expiring(stored))) {
      return "its entries do not expire, and a map does not change this: open it without an Expiry,"
          + " or copy its entries to another map";
    }
    String former = renamed(stored, asked);
    return (former == null
            ? ""
            : "if the class was only renamed, annotate it with @FormerName(\""
                + former
                + "\"), or, in keys and sets, with @PersistentName(\""
                + former
                + "\"); else ")
        + "use the codecs it was created with, another name, or drop it first";
  }

  /**
   * Returns the first stored name of a class, if names of classes are all that differs; or null.
   */
  private static @Nullable String renamed(String stored, String asked) {
    if (!withoutNames(stored).equals(withoutNames(asked))) {
      return null;
    }
    Matcher names = NAMED_TYPE.matcher(asked);
    for (MatchResult former : NAMED_TYPE.matcher(stored).results().toList()) {
      if (names.find() && !former.group(2).equals(names.group(2))) {
        return former.group(2);
      }
    }
    return null;
  }

  private static String withoutNames(String type) {
    return NAMED_TYPE.matcher(type).replaceAll("$1");
  }
}
