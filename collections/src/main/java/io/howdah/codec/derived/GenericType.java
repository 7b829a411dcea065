package io.howdah.codec.derived;

import io.howdah.codec.CodecException;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;

/** A type with its arguments, as the codec of a component is derived from it. */
sealed interface GenericType {

  /**
   * Returns the class.
   *
   * @param where the type is, for messages
   * @throws CodecException if the type is no class, as a type variable
   */
  Class<?> raw(String where);

  /**
   * Returns a type argument, or the elements' type of an array.
   *
   * @throws CodecException if the type has no arguments
   */
  GenericType argument(int index, String where);

  /** Returns whether null is a value of the type. */
  boolean isNullable();

  static CodecException withoutArguments(String where) {
    return new CodecException(
        where
            + " has a type without type arguments; say of what, as in List<String>, or build the"
            + " codec with Codecs.list and its like");
  }

  /** Returns whether an element has the annotation of any library, if it is there at run time. */
  static boolean isNullable(AnnotatedElement element) {
    return Arrays.stream(element.getAnnotations())
        .anyMatch(each -> each.annotationType().getSimpleName().equals("Nullable"));
  }

  /** A type as a describer has it. */
  record Described(TypeUse use) implements GenericType {

    @Override
    public Class<?> raw(String where) {
      return use.type();
    }

    @Override
    public GenericType argument(int index, String where) {
      if (index >= use.arguments().size()) {
        throw withoutArguments(where);
      }
      return new Described(use.arguments().get(index));
    }

    @Override
    public boolean isNullable() {
      return use.isNullable();
    }
  }

  /** A type as reflection has it. */
  record OfJava(AnnotatedType type) implements GenericType {

    @Override
    public Class<?> raw(String where) {
      return switch (type.getType()) {
        case Class<?> plain -> plain;
        case ParameterizedType generic -> (Class<?>) generic.getRawType();
        case Type other ->
            throw new CodecException(
                where + " has the type " + other.getTypeName() + ", which is not a class");
      };
    }

    @Override
    public GenericType argument(int index, String where) {
      return switch (type) {
        case AnnotatedParameterizedType generic ->
            new OfJava(generic.getAnnotatedActualTypeArguments()[index]);
        case AnnotatedArrayType array -> new OfJava(array.getAnnotatedGenericComponentType());
        default -> throw withoutArguments(where);
      };
    }

    @Override
    public boolean isNullable() {
      return GenericType.isNullable(type);
    }
  }
}
