package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a class consists of, as a {@link ClassDescriber} says it. Immutable. */
public sealed interface ClassDescription {

  /**
   * A class whose values have a codec of their own.
   *
   * @param codec of the values; for keys it must be an {@link io.howdah.codec.OrderedCodec}
   */
  record Known(Codec<?> codec) implements ClassDescription {}

  /**
   * A class of properties, which is stored as a record is, with the same bytes. Each property has a
   * field of its name, and the class has a constructor that takes the fields' types in this order.
   *
   * @param properties at least one, in the order of the constructor's parameters
   * @param defaultsMarker the last parameter's type of the constructor that knows the properties'
   *     defaults, null if there is none. As Kotlin compiles it: the constructor takes all
   *     properties, then for each 32 of them an {@code int} with a bit for each that has its
   *     default, the lowest bit for the first, and at last null for the marker
   */
  record Composite(List<Property> properties, @Nullable Class<?> defaultsMarker)
      implements ClassDescription {

    public Composite {
      properties = List.copyOf(properties);
    }
  }

  /**
   * A property of a class.
   *
   * @param name of the property and of its field
   * @param formerNames names that it had before
   * @param type of its values
   * @param fieldType the field's class: another one than that of {@code type}, if the field has the
   *     stored value of a {@link Wrapper} and not the wrapper
   * @param hasDefault whether the constructor of the defaults has one for it; values that were
   *     stored without the property get it
   */
  record Property(
      String name, List<String> formerNames, TypeUse type, Class<?> fieldType, boolean hasDefault) {

    public Property {
      formerNames = List.copyOf(formerNames);
    }
  }

  /**
   * A class that stands for one value, as Kotlin compiles a value class: with a static {@code
   * constructor-impl} that checks a stored value and returns it, a static {@code box-impl} that
   * makes the wrapper, and {@code unbox-impl} that returns the stored value. It is stored as that
   * value is, with the same bytes and the same order.
   *
   * @param stored the type of the stored value
   * @param storedType its class, as these methods have it
   */
  record Wrapper(TypeUse stored, Class<?> storedType) implements ClassDescription {}
}
