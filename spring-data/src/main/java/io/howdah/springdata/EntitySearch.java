package io.howdah.springdata;

import io.howdah.collections.PersistentIndex;
import io.howdah.collections.Range;
import io.howdah.txn.Tx;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Sort;
import org.springframework.data.repository.query.parser.Part;

/**
 * A search of entities in a transaction. Of a condition, or of one that has to be true beside
 * others, an index gives the entities that may match, and each of them is tested by the whole
 * condition. Other searches read all entities. An order by the key, or by a property whose index
 * has all entities, is that of the map or the index; then only as many entities are read as are
 * returned and skipped. Other orders sort what was found.
 */
final class EntitySearch {

  private final EntityMap map;
  private final Tx tx;

  EntitySearch(EntityMap map, Tx tx) {
    this.map = map;
    this.tx = tx;
  }

  List<Object> find(@Nullable Condition condition, Sort sort, long skipped, int most) {
    List<Sort.Order> orders = sort.toList();
    Stream<Object> found = condition == null ? null : candidates(condition);
    boolean isSorted = orders.isEmpty();
    if (found == null) {
      Stream<Object> ordered = orders.size() == 1 ? inOrder(orders.getFirst()) : null;
      isSorted |= ordered != null;
      found = ordered == null ? map.values(tx) : ordered;
    }
    if (condition != null) {
      found = found.filter(item -> condition.test(map, item));
    }
    if (!isSorted) {
      found = found.sorted((one, other) -> compare(orders, one, other));
    }
    if (skipped > 0) {
      found = found.skip(skipped);
    }
    return most > 0 ? found.limit(most).toList() : found.toList();
  }

  long count(@Nullable Condition condition) {
    if (condition == null) {
      return map.size(tx);
    }
    Stream<Object> found = candidates(condition);
    return (found == null ? map.values(tx) : found)
        .filter(item -> condition.test(map, item))
        .count();
  }

  private int compare(List<Sort.Order> orders, Object one, Object other) {
    for (Sort.Order order : orders) {
      String property = order.getProperty();
      int compared =
          ValueOrder.compare(order, map.value(one, property), map.value(other, property));
      if (compared != 0) {
        return compared;
      }
    }
    return 0;
  }

  /** Returns all entities in an order that the map or an index has, or null. */
  private @Nullable Stream<Object> inOrder(Sort.Order order) {
    if (order.isIgnoreCase()) {
      return null;
    }
    if (map.isId(order.getProperty())) {
      return order.isAscending() ? map.values(tx) : map.descending(tx);
    }
    PersistentIndex<Object, Object, Object> index = map.index(order.getProperty());
    if (index == null || !map.isComplete(tx, index)) {
      return null;
    }
    return values(order.isAscending() ? index.entries(tx) : index.descending(tx));
  }

  /** Returns what an index has of a condition, each entity once; null if none helps. */
  private @Nullable Stream<Object> candidates(Condition condition) {
    return switch (condition) {
      case Condition.OfProperty of -> ofProperty(of);
      case Condition.All all ->
          all.conditions().stream()
              .sorted((one, other) -> Integer.compare(rank(one), rank(other)))
              .map(this::candidates)
              .filter(Objects::nonNull)
              .findFirst()
              .orElse(null);
      case Condition.Any _, Condition.OfProgram _ -> null;
    };
  }

  /** Returns how much a condition is expected to find: the lowest is tried first. */
  private int rank(Condition condition) {
    if (!(condition instanceof Condition.OfProperty of)) {
      return Integer.MAX_VALUE;
    }
    return switch (of.type()) {
      case SIMPLE_PROPERTY -> 0;
      case IN -> 1;
      case STARTING_WITH, BETWEEN -> 2;
      case TRUE, FALSE -> 4;
      default -> 3;
    };
  }

  private @Nullable Stream<Object> ofProperty(Condition.OfProperty of) {
    PersistentIndex<Object, Object, Object> index =
        of.path().hasNext() || of.ignoresCase() ? null : map.index(of.path().getSegment());
    if (index == null || !areKeys(of)) {
      return null;
    }
    return switch (of.type()) {
      case SIMPLE_PROPERTY -> values(index.entries(tx, argument(of, 0)));
      case TRUE -> values(index.entries(tx, true));
      case FALSE -> values(index.entries(tx, false));
      case IN -> in(index, of);
      case STARTING_WITH ->
          argument(of, 0) instanceof String text
              ? values(index.range(tx, Range.prefix(text)))
              : null;
      case GREATER_THAN, AFTER -> range(index, Range.behind(argument(of, 0), Range.all()));
      case GREATER_THAN_EQUAL -> range(index, Range.from(argument(of, 0)));
      case LESS_THAN, BEFORE, LESS_THAN_EQUAL -> range(index, Range.upTo(argument(of, 0)));
      case BETWEEN -> between(index, argument(of, 0), argument(of, 1));
      default -> null;
    };
  }

  /** Returns whether an index can have what the condition is about: not null, nor another class. */
  private boolean areKeys(Condition.OfProperty of) {
    Collection<?> arguments =
        of.type() == Part.Type.IN ? Condition.OfProperty.elements(of.argument()) : of.arguments();
    return arguments.stream().allMatch(each -> map.isKey(of.path().getSegment(), each));
  }

  private static Object argument(Condition.OfProperty of, int number) {
    return Objects.requireNonNull(of.arguments().get(number));
  }

  private Stream<Object> range(PersistentIndex<Object, Object, Object> index, Range<Object> range) {
    return values(index.range(tx, range));
  }

  private Stream<Object> between(
      PersistentIndex<Object, Object, Object> index, Object from, Object to) {
    return ValueOrder.compare(from, to) > 0
        ? Stream.empty()
        : Stream.concat(range(index, Range.between(from, to)), values(index.entries(tx, to)));
  }

  private Stream<Object> in(
      PersistentIndex<Object, Object, Object> index, Condition.OfProperty of) {
    Set<Object> wanted = new LinkedHashSet<>(Condition.OfProperty.elements(of.argument()));
    return wanted.stream().flatMap(each -> values(index.entries(tx, each)));
  }

  private static Stream<Object> values(Stream<Map.Entry<Object, Object>> entries) {
    return entries.map(Map.Entry::getValue);
  }
}
