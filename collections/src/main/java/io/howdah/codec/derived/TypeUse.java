package io.howdah.codec.derived;

import java.util.List;

/**
 * A type as a property of a class has it, for {@link ClassDescription}. Immutable.
 *
 * @param type the class of the values: a primitive one, if they are primitive
 * @param arguments the types of its type arguments, and of an array's elements; may be empty, if no
 *     codec needs them
 * @param isNullable whether null is a value
 */
public record TypeUse(Class<?> type, List<TypeUse> arguments, boolean isNullable) {

  public TypeUse {
    arguments = List.copyOf(arguments);
  }
}
