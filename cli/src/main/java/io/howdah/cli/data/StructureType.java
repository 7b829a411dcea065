package io.howdah.cli.data;

import io.howdah.Store;
import io.howdah.cli.value.DescribedCodec;
import java.util.Arrays;
import java.util.Locale;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a store says a structure is.
 *
 * @param first the codec of keys or elements, without a name if there are none
 * @param second the codec of values, without a name if there are none
 */
record StructureType(Kind kind, DescribedCodec first, DescribedCodec second) {

  /** What there is. */
  enum Kind {
    MAP,
    SORTED_MAP,
    SET,
    LIST,
    QUEUE,
    COUNTER,
    BLOB;

    /** Returns how the store calls it. */
    String title() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  // Keys are no maps, so only a reference has a "to" of its own.
  private static final Pattern TYPE =
      Pattern.compile(
          "(?<kind>map|sorted map|set|list|queue|counter|blob)"
              + "(?: of (?<first>.+?)(?:(?<!\\breference) to (?<second>.+))?)?",
          Pattern.DOTALL);
  private static final Pattern ELEMENTS =
      Pattern.compile("(set|list|queue) of (.*)", Pattern.DOTALL);

  /**
   * Returns what a name stands for.
   *
   * @throws DataException if there is nothing of that name, or it is of a kind that is not known
   *     here
   */
  static StructureType of(Store store, String name) {
    SortedMap<String, String> all = store.read(store.admin()::collections);
    String type = all.get(name);
    if (type == null) {
      throw new DataException(
          "the store has no \"" + name + "\"" + NearNames.suggest(name, all.keySet()));
    }
    return parse(name, type);
  }

  static StructureType parse(String name, String type) {
    Matcher elements = ELEMENTS.matcher(type);
    if (elements.matches()) {
      return new StructureType(kind(elements.group(1)), codec(elements.group(2)), codec(""));
    }
    Matcher matcher = TYPE.matcher(type);
    if (!matcher.matches()) {
      throw new DataException(
          "\"" + name + "\" is a " + type + ", which this command does not know");
    }
    return new StructureType(
        kind(matcher.group("kind")), codec(matcher.group("first")), codec(matcher.group("second")));
  }

  private static Kind kind(String title) {
    return Arrays.stream(Kind.values())
        .filter(each -> each.title().equals(title))
        .findFirst()
        .orElseThrow();
  }

  private static DescribedCodec codec(@Nullable String name) {
    return DescribedCodec.named(name == null ? "" : name);
  }
}
