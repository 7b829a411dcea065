package io.howdah.springdata;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.core.PropertyPath;
import org.springframework.data.repository.query.parser.Part;
import org.springframework.util.ObjectUtils;

/** What entities a query finds. Immutable, so that {@link EntitySearch} can look for an index. */
sealed interface Condition {

  /** Returns whether an entity is one of them. */
  boolean test(EntityMap map, Object item);

  /** Returns the condition that a query of the program has: one of this type, or a predicate. */
  static @Nullable Condition of(@Nullable Object criteria) {
    return switch (criteria) {
      case null -> null;
      case Condition condition -> condition;
      case Predicate<?> predicate -> new OfProgram(predicate);
      default ->
          throw new InvalidDataAccessApiUsageException(
              "a query has a java.util.function.Predicate, not " + criteria.getClass().getName());
    };
  }

  /** All of several conditions. */
  record All(List<Condition> conditions) implements Condition {
    @Override
    public boolean test(EntityMap map, Object item) {
      return conditions.stream().allMatch(each -> each.test(map, item));
    }
  }

  /** Any of several conditions. */
  record Any(List<Condition> conditions) implements Condition {
    @Override
    public boolean test(EntityMap map, Object item) {
      return conditions.stream().anyMatch(each -> each.test(map, item));
    }
  }

  /** A condition of which nothing is known. */
  record OfProgram(Predicate<?> predicate) implements Condition {
    @Override
    @SuppressWarnings("unchecked") // the program knows what it asks
    public boolean test(EntityMap map, Object item) {
      return ((Predicate<Object>) predicate).test(item);
    }
  }

  /**
   * A condition on one property.
   *
   * @param arguments as many as the operator takes
   */
  record OfProperty(
      PropertyPath path, Part.Type type, List<@Nullable Object> arguments, boolean ignoresCase)
      implements Condition {

    @Override
    public boolean test(EntityMap map, Object item) {
      return test(map.value(item, path));
    }

    private boolean test(@Nullable Object value) {
      return switch (type) {
        case SIMPLE_PROPERTY -> isEqual(value, argument());
        case NEGATING_SIMPLE_PROPERTY -> !isEqual(value, argument());
        case TRUE -> Boolean.TRUE.equals(value);
        case FALSE -> Boolean.FALSE.equals(value);
        case IS_NULL -> value == null;
        case IS_NOT_NULL -> value != null;
        case IS_EMPTY -> ObjectUtils.isEmpty(value);
        case IS_NOT_EMPTY -> !ObjectUtils.isEmpty(value);
        case GREATER_THAN, AFTER -> isComparable(value) && compare(value) > 0;
        case GREATER_THAN_EQUAL -> isComparable(value) && compare(value) >= 0;
        case LESS_THAN, BEFORE -> isComparable(value) && compare(value) < 0;
        case LESS_THAN_EQUAL -> isComparable(value) && compare(value) <= 0;
        case BETWEEN ->
            isComparable(value)
                && arguments.get(1) != null
                && compare(value) >= 0
                && ValueOrder.compare(value, arguments.get(1)) <= 0;
        case IN -> elements(argument()).stream().anyMatch(each -> isEqual(value, each));
        case NOT_IN -> elements(argument()).stream().noneMatch(each -> isEqual(value, each));
        case STARTING_WITH -> value != null && text(value).startsWith(text(argument()));
        case ENDING_WITH -> value != null && text(value).endsWith(text(argument()));
        case CONTAINING -> contains(value);
        case NOT_CONTAINING -> !contains(value);
        case LIKE -> value != null && like().matcher(text(value)).matches();
        case NOT_LIKE -> value == null || !like().matcher(text(value)).matches();
        case REGEX -> value != null && regex().matcher(value.toString()).matches();
        default -> throw unknown(type);
      };
    }

    static InvalidDataAccessApiUsageException unknown(Part.Type type) {
      return new InvalidDataAccessApiUsageException("a query of a store cannot have " + type);
    }

    @Nullable Object argument() {
      return arguments.getFirst();
    }

    private boolean isEqual(@Nullable Object one, @Nullable Object other) {
      if (ignoresCase && one instanceof String text && other instanceof String with) {
        return text.equalsIgnoreCase(with);
      }
      return ObjectUtils.nullSafeEquals(one, other);
    }

    /** Nothing is greater or less than null, as in other databases. */
    private boolean isComparable(@Nullable Object value) {
      return value != null && argument() != null;
    }

    private int compare(@Nullable Object value) {
      return ValueOrder.compare(value, argument());
    }

    private boolean contains(@Nullable Object value) {
      return switch (value) {
        case null -> false;
        case Collection<?> elements ->
            elements.stream().anyMatch(each -> isEqual(each, argument()));
        case Map<?, ?> entries -> entries.containsValue(argument());
        case Object[] array -> Arrays.stream(array).anyMatch(each -> isEqual(each, argument()));
        default -> text(value).contains(text(argument()));
      };
    }

    private String text(@Nullable Object value) {
      String text = String.valueOf(value);
      return ignoresCase ? text.toLowerCase(Locale.ROOT) : text;
    }

    /** Returns the pattern of LIKE: % stands for any characters, _ for one. */
    private Pattern like() {
      StringBuilder regex = new StringBuilder();
      text(argument())
          .codePoints()
          .forEach(
              each ->
                  regex.append(
                      switch (each) {
                        case '%' -> ".*";
                        case '_' -> ".";
                        default -> Pattern.quote(Character.toString(each));
                      }));
      return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }

    private Pattern regex() {
      return argument() instanceof Pattern pattern
          ? pattern
          : Pattern.compile(String.valueOf(argument()), ignoresCase ? Pattern.CASE_INSENSITIVE : 0);
    }

    /** Returns the elements of what IN is given: a collection, an array, or one value. */
    static Collection<?> elements(@Nullable Object argument) {
      return switch (argument) {
        case null -> List.of();
        case Collection<?> elements -> elements;
        default ->
            ObjectUtils.isArray(argument)
                ? Arrays.asList(ObjectUtils.toObjectArray(argument))
                : List.of(argument);
      };
    }
  }
}
