package io.howdah.cli.catalogue;

import io.howdah.Store;
import io.howdah.cli.value.DescribedCodec;
import io.howdah.cli.value.JsonValue;
import io.howdah.cli.value.StoredObjects;
import io.howdah.codec.Codec;
import io.howdah.collections.Expiry;
import io.howdah.collections.KeyedCollection;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSet;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.core.layout.TypeNameText;
import java.util.Arrays;
import java.util.Locale;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a store says a structure is.
 *
 * @param isOfProgram whether only its program can change it: a map with indexes, whose functions
 *     the command does not have, or a cache, whose bound a program declares
 * @param isExpiring whether it is a map of either kind or a set whose entries expire
 * @param first the codec of keys or elements, without a name if there are none
 * @param second the codec of values, without a name if there are none
 */
public record StructureType(
    Kind kind,
    boolean isOfProgram,
    boolean isExpiring,
    DescribedCodec first,
    DescribedCodec second) {

  /** What there is. */
  public enum Kind {
    MAP,
    SORTED_MAP,
    MULTIMAP,
    SET,
    LIST,
    QUEUE,
    COUNTER,
    BLOB;

    /** Returns how the store calls it. */
    public String title() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  private static final Pattern TYPE =
      Pattern.compile(
          "(?<indexed>indexed )?(?:journaled )?(?<cached>cached )?(?<expiring>expiring )?(?<kind>map|sorted"
              + " map|multimap|set|list|queue|counter|blob)(?: of (?<codecs>.+))?",
          Pattern.DOTALL);
  private static final String BETWEEN = " to ";

  /** What stands before the name of a codec or of a type, unless it is at the start. */
  private static final String BEFORE_A_NAME = " [(";

  private static final Pattern INDEX =
      Pattern.compile("(unfinished )?(unique )?index of .*", Pattern.DOTALL);
  private static final String JOURNAL = "change journal";
  private static final Pattern ELEMENTS =
      Pattern.compile("(?:journaled )?(expiring )?(set|list|queue) of (.*)", Pattern.DOTALL);

  /**
   * Returns what a name stands for.
   *
   * @throws DataException if there is nothing of that name, or it is of a kind that is not known
   *     here
   */
  public static StructureType of(Store store, String name) {
    SortedMap<String, String> all = store.read(store.admin()::collections);
    String type = all.get(name);
    if (type == null) {
      throw new DataException(
          "the store has no \"" + name + "\"" + NearNames.suggest(name, all.keySet()));
    }
    return parse(name, type, store.admin()::properties);
  }

  /**
   * Returns what a type's description stands for.
   *
   * @param objects what references lead to
   */
  public static StructureType parse(String name, String type, StoredObjects objects) {
    Matcher elements = ELEMENTS.matcher(type);
    if (elements.matches()) {
      return new StructureType(
          kind(elements.group(2)),
          false,
          elements.group(1) != null,
          codec(elements.group(3), objects),
          codec("", objects));
    }
    if (INDEX.matcher(type).matches()) {
      String map = name.substring(0, Math.max(0, name.lastIndexOf('/')));
      throw new DataException(
          "\"%s\" is an index, whose entries are those of the map \"%s\"".formatted(name, map));
    }
    if (type.equals(JOURNAL)) {
      String map = name.substring(0, Math.max(0, name.lastIndexOf('/')));
      throw new DataException(
          "\"%s\" is the change journal of the map \"%s\", which programs read"
              .formatted(name, map));
    }
    Matcher matcher = TYPE.matcher(type);
    if (!matcher.matches()) {
      throw new DataException(
          "the type of \"" + name + "\" is \"" + type + "\", which this command does not know");
    }
    String codecs = matcher.group("codecs") == null ? "" : matcher.group("codecs");
    int end = keysEnd(codecs);
    int values = Math.min(end + BETWEEN.length(), codecs.length());
    return new StructureType(
        kind(matcher.group("kind")),
        matcher.group("indexed") != null || matcher.group("cached") != null,
        matcher.group("expiring") != null,
        codec(codecs.substring(0, end), objects),
        codec(codecs.substring(values), objects));
  }

  /**
   * Returns where the codec of the keys ends. Keys are no maps, so only a reference has a "to" of
   * its own, and the name of a type, which stands in quotes then.
   */
  private static int keysEnd(String codecs) {
    int at = 0;
    while (at < codecs.length()) {
      boolean isName = at == 0 || BEFORE_A_NAME.indexOf(codecs.charAt(at - 1)) >= 0;
      if (isName && codecs.charAt(at) == TypeNameText.QUOTE) {
        at = TypeNameText.end(codecs, at);
      } else if (codecs.startsWith(BETWEEN, at) && !isReference(codecs, at)) {
        return at;
      } else {
        at++;
      }
    }
    return at;
  }

  private static boolean isReference(String codecs, int end) {
    int start = end - TypeNameText.REFERENCE.length();
    return start >= 0
        && codecs.startsWith(TypeNameText.REFERENCE, start)
        && (start == 0 || BEFORE_A_NAME.indexOf(codecs.charAt(start - 1)) >= 0);
  }

  private static Kind kind(String title) {
    return Arrays.stream(Kind.values())
        .filter(each -> each.title().equals(title))
        .findFirst()
        .orElseThrow();
  }

  /** Opens a map or a sorted map, for reading if only its program can change it. */
  public KeyedCollection<JsonValue, JsonValue> keyed(Store store, String name) {
    return kind == Kind.SORTED_MAP ? sortedMap(store, name) : map(store, name, first, second);
  }

  /** Opens a sorted map, for reading if only its program can change it. */
  public PersistentSortedMap<JsonValue, JsonValue> sortedMap(Store store, String name) {
    if (isOfProgram) {
      return store.admin().sortedMapToRead(name, first, second);
    }
    return isExpiring
        ? store.sortedMap(name, first, second, Expiry.perEntry())
        : store.sortedMap(name, first, second);
  }

  /** Opens a set. */
  public PersistentSet<JsonValue> set(Store store, String name) {
    return isExpiring ? store.set(name, first, Expiry.perEntry()) : store.set(name, first);
  }

  /** Opens a map with codecs of these names, for reading if only its program can change it. */
  public <K, V> PersistentMap<K, V> map(Store store, String name, Codec<K> keys, Codec<V> values) {
    if (isOfProgram) {
      return store.admin().mapToRead(name, keys, values);
    }
    return isExpiring
        ? store.map(name, keys, values, Expiry.perEntry())
        : store.map(name, keys, values);
  }

  private static DescribedCodec codec(String name, StoredObjects objects) {
    return DescribedCodec.named(name, objects);
  }
}
