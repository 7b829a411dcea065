package io.howdah.examples.shop;

import io.howdah.examples.shop.RefusedException.Reason;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The fields of a request's body, as {@code curl -d} sends them. Refuses what it cannot read. */
final class Form {

  private static final int MAX_NAME_LENGTH = 64;
  private static final int MAX_PIECES = 1000;

  private final Map<String, List<String>> fields = new HashMap<>();

  Form(String body) {
    for (String field : body.split("&", -1)) {
      int equals = field.indexOf('=');
      if (equals > 0) {
        fields
            .computeIfAbsent(decoded(field.substring(0, equals)), _ -> new ArrayList<>())
            .add(decoded(field.substring(equals + 1)));
      } else if (!field.isEmpty()) {
        throw new RefusedException(Reason.INVALID, "not NAME=VALUE: " + field);
      }
    }
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(Reason.INVALID, "not an encoded value: " + text);
    }
  }

  /** Returns a field that is there once and is a name. */
  String name(String field) {
    List<String> values = fields.getOrDefault(field, List.of());
    if (values.size() != 1) {
      throw new RefusedException(
          Reason.INVALID, field + " is wanted once, and is there " + values.size() + " times");
    }
    return name(values.getFirst(), field);
  }

  /** Returns the fields {@code line=ARTICLE:PIECES}, added up by article. */
  SortedMap<String, Integer> pieces() {
    SortedMap<String, Integer> pieces = new TreeMap<>();
    for (String line : fields.getOrDefault("line", List.of())) {
      int colon = line.lastIndexOf(':');
      String article = name(line.substring(0, Math.max(colon, 0)), "line=ARTICLE:PIECES");
      if (pieces.merge(article, pieces(line.substring(colon + 1)), Integer::sum) > MAX_PIECES) {
        throw new RefusedException(
            Reason.INVALID, "at most " + MAX_PIECES + " pieces of " + article);
      }
    }
    if (pieces.isEmpty()) {
      throw new RefusedException(Reason.INVALID, "an order has a line=ARTICLE:PIECES");
    }
    return pieces;
  }

  private static int pieces(String text) {
    try {
      int pieces = Integer.parseInt(text);
      if (pieces >= 1 && pieces <= MAX_PIECES) {
        return pieces;
      }
    } catch (NumberFormatException e) {
      // refused as other numbers are
    }
    throw new RefusedException(Reason.INVALID, "not 1 to " + MAX_PIECES + " pieces: " + text);
  }

  /** Returns a name if it is one: at most 64 characters, and none of them a control character. */
  static String name(String text, String what) {
    if (text.isBlank()
        || text.length() > MAX_NAME_LENGTH
        || text.chars().anyMatch(Character::isISOControl)) {
      throw new RefusedException(
          Reason.INVALID,
          what + " has 1 to " + MAX_NAME_LENGTH + " characters, and no control characters");
    }
    return text;
  }
}
