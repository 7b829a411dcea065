package io.howdah.verify.api;

import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What programs can see of some types, as lines of text: for each type, itself first and then its
 * members, in an order that does not depend on where they stand in the source.
 */
final class ApiText {

  private static final int SHOWN_OF_TYPE =
      Modifier.PUBLIC
          | Modifier.PROTECTED
          | Modifier.STATIC
          | Modifier.FINAL
          | Modifier.ABSTRACT
          | Modifier.INTERFACE;
  private static final int SHOWN_OF_MEMBER =
      Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.FINAL | Modifier.ABSTRACT;

  private final Set<String> exported;

  /** {@code exported} names the packages whose types programs can see. */
  ApiText(Set<String> exported) {
    this.exported = exported;
  }

  /** Returns the members of each visible type; what a type is itself is the first of its lines. */
  SortedMap<String, List<String>> describe(List<Class<?>> types) {
    SortedMap<String, List<String>> described = new TreeMap<>();
    for (Class<?> type : types) {
      if (isVisible(type)) {
        List<String> lines = new ArrayList<>();
        lines.add(declaration(type));
        lines.addAll(members(type, this::isHidden));
        described.put(type.getName(), lines);
      }
    }
    return described;
  }

  private boolean isVisible(Class<?> type) {
    boolean self =
        (type.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
            && !type.isAnonymousClass()
            && !type.isLocalClass()
            && !type.isSynthetic();
    Class<?> outer = type.getDeclaringClass();
    return self && exported.contains(type.getPackageName()) && (outer == null || isVisible(outer));
  }

  private static String declaration(Class<?> type) {
    StringBuilder text = new StringBuilder();
    if (type.isAnnotationPresent(Deprecated.class)) {
      text.append("@Deprecated ");
    }
    if (type.isAnnotationPresent(FunctionalInterface.class)) {
      text.append("@FunctionalInterface ");
    }
    if (type.isSealed()) {
      text.append("sealed ");
    }
    int modifiers = type.getModifiers() & SHOWN_OF_TYPE;
    if (type.isInterface()) {
      modifiers &= ~(Modifier.ABSTRACT | Modifier.STATIC);
    }
    text.append(Modifier.toString(modifiers));
    text.append(
        type.isInterface() ? "" : type.isEnum() ? " enum" : type.isRecord() ? " record" : " class");
    text.append(variables(type.getTypeParameters()));
    AnnotatedType superclass = type.getAnnotatedSuperclass();
    if (superclass != null && !type.isEnum() && !type.isRecord() && !isObject(superclass)) {
      text.append(" extends ").append(named(superclass));
    }
    appendAll(
        text, " implements ", Arrays.stream(type.getAnnotatedInterfaces()).map(ApiText::named));
    if (type.isSealed()) {
      appendAll(
          text, " permits ", Arrays.stream(type.getPermittedSubclasses()).map(Class::getName));
    }
    return text.toString();
  }

  private static boolean isObject(AnnotatedType type) {
    return type.getType().equals(Object.class);
  }

  private static void appendAll(StringBuilder text, String keyword, Stream<String> names) {
    String joined = names.sorted().collect(Collectors.joining(", "));
    if (!joined.isEmpty()) {
      text.append(keyword).append(joined);
    }
  }

  /** Returns a type's members; what a hidden superclass has, programs see as the type's own. */
  static SortedSet<String> members(Class<?> type, Predicate<Class<?>> isHidden) {
    SortedSet<String> members = new TreeSet<>();
    for (Class<?> c = type;
        c != null && (c.equals(type) || isHidden.test(c));
        c = c.getSuperclass()) {
      for (Method method : c.getDeclaredMethods()) {
        addIfSeen(members, method, method(method));
      }
      for (Field field : c.getDeclaredFields()) {
        addIfSeen(members, field, field(field));
      }
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      addIfSeen(members, constructor, modifiers(constructor) + executable("new", constructor));
    }
    if (type.isRecord()) {
      members.add(
          Arrays.stream(type.getRecordComponents())
              .map(RecordComponent::getName)
              .collect(Collectors.joining(", ", "components ", "")));
    }
    return members;
  }

  private boolean isHidden(Class<?> type) {
    return type.getName().startsWith("io.howdah.") && !isVisible(type);
  }

  private static void addIfSeen(SortedSet<String> members, Member member, String text) {
    if ((member.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
        && !member.isSynthetic()) {
      members.add(text);
    }
  }

  private static String modifiers(Member member) {
    int modifiers = member.getModifiers() & SHOWN_OF_MEMBER;
    return modifiers == 0 ? "" : Modifier.toString(modifiers) + " ";
  }

  private static String field(Field field) {
    return modifiers(field)
        + named(field.getAnnotatedType())
        + " "
        + field.getName()
        + constant(field);
  }

  /** A compiler copies constants into the programs that name them. */
  private static String constant(Field field) {
    boolean copied =
        Modifier.isStatic(field.getModifiers())
            && Modifier.isFinal(field.getModifiers())
            && Modifier.isPublic(field.getModifiers())
            && (field.getType().isPrimitive() || field.getType().equals(String.class));
    try {
      return copied ? " = " + field.get(null) : "";
    } catch (IllegalAccessException e) {
      throw new AssertionError("a public constant cannot be read: " + field, e);
    }
  }

  private static String method(Method method) {
    return (method.isAnnotationPresent(Deprecated.class) ? "@Deprecated " : "")
        + modifiers(method)
        + (method.isDefault() ? "default " : "")
        + variables(method.getTypeParameters()).replaceFirst("(?<=>)$", " ")
        + named(method.getAnnotatedReturnType())
        + " "
        + executable(method.getName(), method);
  }

  private static String executable(String name, Executable executable) {
    String parameters =
        Arrays.stream(executable.getParameters())
            .map(Parameter::getAnnotatedType)
            .map(ApiText::named)
            .collect(Collectors.joining(", ", "(", ")"));
    StringBuilder text = new StringBuilder(name).append(parameters);
    appendAll(
        text,
        " throws ",
        Arrays.stream(executable.getAnnotatedExceptionTypes()).map(ApiText::named));
    return text.toString();
  }

  private static String variables(TypeVariable<?>[] variables) {
    if (variables.length == 0) {
      return "";
    }
    return Arrays.stream(variables)
        .map(ApiText::variable)
        .collect(Collectors.joining(", ", "<", ">"));
  }

  private static String variable(TypeVariable<?> variable) {
    StringBuilder text = new StringBuilder(variable.getName());
    String bounds =
        Arrays.stream(variable.getAnnotatedBounds())
            .map(ApiText::named)
            .filter(bound -> !bound.equals("Object"))
            .collect(Collectors.joining(" & "));
    if (!bounds.isEmpty()) {
      text.append(" extends ").append(bounds);
    }
    return text.toString();
  }

  /** Returns a type as a source names it, as far as that is beyond doubt. */
  private static String named(AnnotatedType type) {
    return Objects.toString(type)
        .replace("@org.jspecify.annotations.Nullable()", "@Nullable")
        .replaceAll("java\\.lang\\.((?:@Nullable )?[A-Z])", "$1");
  }
}
