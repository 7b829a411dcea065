package io.howdah.codec.derived;

import io.howdah.codec.CodecException;
import io.howdah.codec.FormerName;
import io.howdah.codec.PersistentName;
import io.howdah.core.layout.TypeNameText;
import java.lang.reflect.Field;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names that stores know a class by.
 *
 * @param version of a record
 */
record TypeName(String name, List<String> formerNames, int version) {

  private static final int MAX_LENGTH = 255;

  static TypeName of(Class<?> type) {
    PersistentName name = type.getAnnotation(PersistentName.class);
    return name == null
        ? new TypeName(
            require(type, type.getName()), former(type.getAnnotation(FormerName.class)), 0)
        : new TypeName(
            require(type, name.value()),
            former(type.getAnnotation(FormerName.class)),
            requireVersion(type, name.version()));
  }

  /** Returns the name of the codec of a type that stores know by a name. */
  static String codec(String kind, String name) {
    return kind + " " + TypeNameText.described(name);
  }

  private static List<String> former(@Nullable FormerName annotation) {
    return annotation == null ? List.of() : List.of(annotation.value());
  }

  /** Verifies the name of a class in stores. */
  static String require(Class<?> type, String name) {
    if (name.isEmpty()
        || name.length() > MAX_LENGTH
        || name.chars().anyMatch(Character::isISOControl)) {
      throw new CodecException(
          "the name of "
              + type.getName()
              + " in stores has 1 to "
              + MAX_LENGTH
              + " characters without control characters, not \""
              + (name.length() > MAX_LENGTH ? name.substring(0, MAX_LENGTH) + "…" : name)
              + "\"; name it by @PersistentName");
    }
    return name;
  }

  private static int requireVersion(Class<?> type, int version) {
    if (version < 0) {
      throw new CodecException(
          "the version in @PersistentName of " + type.getName() + " is " + version + ", below 0");
    }
    return version;
  }

  /** Returns a field of a class that is known to be there. */
  static Field field(Class<?> type, String name) {
    try {
      return type.getField(name);
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException(e);
    }
  }
}
