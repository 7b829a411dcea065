package io.howdah.objects;

import io.howdah.collections.PersistentCollection;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads from an interface what properties its objects have. */
final class TypeReader {

  private static final int MAX_LENGTH = 1 << 16;
  private static final Pattern NAME = Pattern.compile("[\\p{Alnum}_$]+");
  private static final Map<Class<?>, FieldKind> KINDS =
      Map.of(
          boolean.class, FieldKind.BOOLEAN,
          byte.class, FieldKind.BYTE,
          short.class, FieldKind.SHORT,
          char.class, FieldKind.CHAR,
          int.class, FieldKind.INT,
          float.class, FieldKind.FLOAT,
          long.class, FieldKind.LONG,
          double.class, FieldKind.DOUBLE,
          String.class, FieldKind.STRING,
          byte[].class, FieldKind.BYTES);

  /**
   * A property of an interface.
   *
   * @param field as the store would describe it, without a place; null if it does not persist
   */
  record Property(
      String name,
      Class<?> type,
      boolean isArray,
      @Nullable ObjectField field,
      Method getter,
      @Nullable Method setter) {}

  /** Lengths of embedded types, which the caller knows. */
  interface Structs {
    /** Returns the length of the fields of a type. */
    int length(Class<?> type);
  }

  /** The collections in properties, which the caller knows. */
  interface Collections {
    /** Returns kind and codecs of a getter's collection; null if it returns something else. */
    @Nullable String type(Method getter);
  }

  private TypeReader() {}

  /** Returns the properties in the order of their names. */
  static List<Property> read(Class<?> type, Structs structs, Collections collections) {
    requireInterface(type);
    Map<String, Method> getters = new TreeMap<>();
    Map<String, Method> setters = new TreeMap<>();
    Method[] methods = type.getMethods();
    Arrays.sort(methods, Comparator.comparing(Method::toString));
    for (Method method : methods) {
      if (!Modifier.isAbstract(method.getModifiers())) {
        continue;
      }
      requireOwn(method);
      boolean isGetter = method.getReturnType() != void.class;
      Method other = (isGetter ? getters : setters).put(propertyName(method), method);
      if (other != null) {
        throw bad(method, "is one of two " + (isGetter ? "getters" : "setters") + " of that name");
      }
    }
    setters.forEach(
        (name, setter) -> {
          if (!getters.containsKey(name)) {
            throw bad(setter, "sets a property that no method returns");
          }
        });
    List<Property> properties = new ArrayList<>();
    getters.forEach(
        (name, getter) ->
            properties.add(property(name, getter, setters.get(name), structs, collections)));
    return properties;
  }

  /** What every object has is generated, and is no property. */
  private static void requireOwn(Method method) {
    try {
      Object.class.getMethod(method.getName(), method.getParameterTypes());
    } catch (NoSuchMethodException e) {
      return;
    }
    throw bad(
        method,
        "is a method that every object has, so it cannot be a property; remove it from the"
            + " interface, objects have it all the same");
  }

  /**
   * Returns the name of the property that a method reads or writes: the method's own, or that of a
   * JavaBean or Kotlin property, x of getX, isX and setX.
   */
  private static String propertyName(Method method) {
    String name = method.getName();
    boolean isGetter = method.getReturnType() != void.class;
    String prefix =
        !isGetter
            ? "set"
            : method.getReturnType() == boolean.class && name.startsWith("is") ? "is" : "get";
    int start = prefix.length();
    return name.startsWith(prefix)
            && name.length() > start
            && Character.isUpperCase(name.charAt(start))
        ? Character.toLowerCase(name.charAt(start)) + name.substring(start + 1)
        : name;
  }

  private static void requireInterface(Class<?> type) {
    if (!type.isInterface() || !type.isAnnotationPresent(Persistent.class)) {
      throw new InvalidTypeException(
          type.getName() + " is no interface marked with @Persistent, so no type of objects");
    }
    if (type.getTypeParameters().length != 0) {
      throw new InvalidTypeException(
          type.getName() + " has type parameters; the store could not tell what they stand for");
    }
  }

  private static Property property(
      String name,
      Method getter,
      @Nullable Method setter,
      Structs structs,
      Collections collections) {
    Class<?> type = getter.getReturnType();
    boolean isArray = getter.getParameterCount() == 1;
    if (getter.getParameterCount() > 1 || (isArray && getter.getParameterTypes()[0] != int.class)) {
      throw bad(getter, "takes parameters; a getter takes none, or the index of an array");
    }
    if (setter != null) {
      List<Class<?>> expected = isArray ? List.of(int.class, type) : List.of(type);
      if (!List.of(setter.getParameterTypes()).equals(expected)) {
        throw bad(setter, "does not take what the getter of that name returns");
      }
    }
    if (getter.isAnnotationPresent(NotPersistent.class)) {
      if (getter.isAnnotationPresent(Owned.class)) {
        throw bad(getter, "does not persist, so it cannot own an object");
      }
      if (isArray) {
        throw bad(getter, "cannot be an array, as it does not persist");
      }
      return new Property(name, type, false, null, getter, setter);
    }
    return new Property(
        name,
        type,
        isArray,
        field(name, getter, setter, isArray, structs, collections),
        getter,
        setter);
  }

  private static ObjectField field(
      String name,
      Method getter,
      @Nullable Method setter,
      boolean isArray,
      Structs structs,
      Collections collections) {
    Class<?> type = getter.getReturnType();
    Length annotation = getter.getAnnotation(Length.class);
    int length = annotation == null ? 1 : annotation.value();
    if (length < 1 || length > MAX_LENGTH) {
      throw bad(getter, "has the length " + length + "; possible are 1 to " + MAX_LENGTH);
    }
    if (isArray && annotation == null) {
      throw bad(getter, "takes an index, but no @Length says how many elements there are");
    }
    String collection = collections.type(getter);
    FieldKind kind = collection == null ? kind(getter) : FieldKind.COLLECTION;
    if (getter.isAnnotationPresent(Owned.class)) {
      if (kind != FieldKind.REFERENCE) {
        throw bad(getter, "is @Owned, but no reference to an object; all else is its object's own");
      }
      kind = FieldKind.OWNED;
    }
    String target = collection == null ? target(getter, kind) : collection;
    if (collection != null && (setter != null || isArray)) {
      throw bad(
          getter,
          "is a collection, which belongs to its object, so it has neither a setter nor an index");
    }
    if (kind == FieldKind.STRUCT) {
      if (isArray || annotation != null || setter != null) {
        throw bad(getter, "is embedded, so it has neither a setter nor a length");
      }
      length = structs.length(type);
    } else if (!isArray && annotation != null) {
      kind =
          switch (kind) {
            case STRING -> FieldKind.FIXED_STRING;
            case BYTES -> FieldKind.FIXED_BYTES;
            default -> throw bad(getter, "has a length, but is no array, string or bytes");
          };
    } else if (isArray && kind.ownsBlock()) {
      throw bad(
          getter, "is an array of strings or bytes, which is not supported; refer to objects");
    }
    if (!NAME.matcher(name).matches()) {
      throw bad(getter, "has a name that the store cannot keep");
    }
    return new ObjectField(name, kind, length, target, 0, 0);
  }

  private static FieldKind kind(Method getter) {
    Class<?> type = getter.getReturnType();
    FieldKind kind = KINDS.get(type);
    if (kind != null) {
      return kind;
    }
    if (type.isEnum()) {
      return FieldKind.ENUM;
    }
    if (type.isAnnotationPresent(Persistent.class)) {
      return getter.isAnnotationPresent(Embedded.class) ? FieldKind.STRUCT : FieldKind.REFERENCE;
    }
    if (PersistentCollection.class.isAssignableFrom(type)) {
      throw bad(
          getter,
          "has the type "
              + type.getTypeName()
              + "; of collections, an object can have PersistentSortedMap, which serves as a map or a"
              + " set, and PersistentList");
    }
    throw bad(
        getter,
        "has the type "
            + type.getTypeName()
            + ", which a store cannot keep; possible are primitives, String, byte[], enums,"
            + " @Persistent interfaces, PersistentSortedMap and PersistentList, or any type if the"
            + " property is @NotPersistent");
  }

  private static String target(Method getter, FieldKind kind) {
    Class<?> type = getter.getReturnType();
    return switch (kind) {
      case ENUM ->
          Arrays.stream(type.getEnumConstants())
              .map(constant -> ((Enum<?>) constant).name())
              .collect(Collectors.joining(","));
      case REFERENCE, OWNED, STRUCT -> type.getName();
      default -> "";
    };
  }

  private static InvalidTypeException bad(Method method, String problem) {
    return new InvalidTypeException(
        "property "
            + method.getName()
            + " of "
            + method.getDeclaringClass().getName()
            + " "
            + problem);
  }
}
