package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a record consists of.
 *
 * @param lookup sees all of the record
 * @param isOrdered whether bytes have the order of the components
 * @param access where the components are in the class
 */
record RecordType<R>(
    Class<R> type,
    MethodHandles.Lookup lookup,
    TypeName name,
    boolean isOrdered,
    Access access,
    List<Component> components) {

  /**
   * Where the components of a class are.
   *
   * @param inFields in fields of their names; else accessors of their names return them
   * @param defaultsMarker see {@link ClassDescription.Composite}
   */
  record Access(boolean inFields, @Nullable Class<?> defaultsMarker) {
    static final Access RECORD = new Access(false, null);
  }

  /**
   * A component.
   *
   * @param type the class of its accessor or field, without type arguments
   * @param wrapping null if the values of the codec are of the type
   * @param part how it lies in the record's bytes
   * @param added the value in records that were stored without it
   * @param hasAdded whether there is such a value
   * @param hasDefault whether, instead of that value, the class has a default of its own
   * @param retyped former codecs, and what makes values of theirs
   */
  record Component(
      String name,
      List<String> formerNames,
      Class<?> type,
      @Nullable Wrapping wrapping,
      Part<?> part,
      @Nullable Object added,
      boolean hasAdded,
      boolean hasDefault,
      List<Retyped> retyped) {

    /** Returns the class of the codec's values. */
    Class<?> valueType() {
      return wrapping == null ? type : wrapping.type();
    }

    Component bind(Shapes shapes, boolean isOrdered) {
      Codec<?> bound = part.codec().bind(shapes);
      return new Component(
          name,
          formerNames,
          type,
          wrapping,
          part(part.where(), bound, isOrdered),
          added,
          hasAdded,
          hasDefault,
          retyped.stream().map(each -> each.bind(shapes)).toList());
    }

    static Part<?> part(String where, Codec<?> codec, boolean isOrdered) {
      return isOrdered ? Part.ordered(where, (OrderedCodec<?>) codec) : Part.of(where, codec);
    }

    ShapeText.Component stored() {
      return new ShapeText.Component(name, part.fixedLength(), part.codec().name());
    }
  }

  /** A codec that a component had before, and what makes its values of the former ones. */
  record Retyped(Codec<?> codec, Function<Object, @Nullable Object> converter) {
    Retyped bind(Shapes shapes) {
      return new Retyped(codec.bind(shapes), converter);
    }

    /** Returns what a component has for a value of the former codec. */
    @Nullable Object converted(Component component, Object former) {
      Object value = converter.apply(former);
      boolean fits =
          value == null ? !component.type.isPrimitive() : isOf(component.valueType(), value);
      if (!fits) {
        throw new CodecException(
            "the converter given to CodecRegistry.withRetyped for "
                + component.part.where()
                + " returned "
                + (value == null ? "null" : "an object of " + value.getClass().getName())
                + ", which is no "
                + component.valueType().getName());
      }
      return value;
    }
  }

  RecordType {
    Set<String> used = new HashSet<>();
    components.forEach(component -> used.add(component.name));
    for (Component component : components) {
      for (String former : component.formerNames) {
        if (!used.add(former)) {
          throw new CodecException(
              component.part.where()
                  + " cannot have the former name \""
                  + former
                  + "\": it is the name, or a former name, of a component of the record");
        }
      }
    }
  }

  /** Returns whether a component of a type can have a value, which for a primitive is boxed. */
  static boolean isOf(Class<?> type, Object value) {
    return MethodType.methodType(type).wrap().returnType().isInstance(value);
  }

  RecordType<R> bind(Shapes shapes) {
    return new RecordType<>(
        type,
        lookup,
        name,
        isOrdered,
        access,
        components.stream().map(each -> each.bind(shapes, isOrdered)).toList());
  }

  /** Returns the length of all values in bytes, or {@link Codec#VARIABLE}. */
  int fixedLength() {
    int length = 0;
    for (Component component : components) {
      int own = component.part.fixedLength();
      length = length < 0 || own < 0 ? Codec.VARIABLE : length + own;
    }
    return length;
  }

  /** Returns the types of the components: what a key's bytes depend on. */
  String codecs() {
    return components.stream()
        .map(each -> each.part.codec().name())
        .collect(Collectors.joining(", ", "(", ")"));
  }

  ShapeText.Shape shape() {
    return new ShapeText.Shape(name.version(), components.stream().map(Component::stored).toList());
  }
}
