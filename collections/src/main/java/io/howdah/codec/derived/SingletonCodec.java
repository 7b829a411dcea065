package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;

/**
 * The only object of a class, as a case of a sealed interface. It takes no bytes.
 *
 * @param typeName of the class in stores
 */
record SingletonCodec(TypeName typeName, Object instance) implements Codec<Object> {

  /** Where Kotlin has the object of a {@code data object}. */
  private static final String FIELD = "INSTANCE";

  /**
   * Returns whether a class has one object: a final class without fields of objects, its own or of
   * a superclass, whose constructors are private, and with itself in a static final field {@code
   * INSTANCE}.
   */
  static boolean isSingleton(Class<?> type) {
    if (!Modifier.isFinal(type.getModifiers())) {
      return false;
    }
    boolean hasInstance = false;
    for (Field field : type.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers())) {
        return false;
      }
      hasInstance |=
          field.getName().equals(FIELD)
              && field.getType() == type
              && Modifier.isFinal(field.getModifiers());
    }
    return hasInstance
        && hasNoState(type.getSuperclass())
        && Arrays.stream(type.getDeclaredConstructors())
            .map(Constructor::getModifiers)
            .allMatch(Modifier::isPrivate);
  }

  /** Returns whether objects have no fields of a class: Object, or a sealed class without any. */
  private static boolean hasNoState(Class<?> type) {
    return type == Object.class
        || (type.isSealed()
            && Arrays.stream(type.getDeclaredFields())
                .allMatch(field -> Modifier.isStatic(field.getModifiers()))
            && hasNoState(type.getSuperclass()));
  }

  /**
   * Returns the codec of such a class.
   *
   * @param lookup sees all of the class
   */
  static Codec<?> of(Class<?> type, TypeName name, MethodHandles.Lookup lookup) {
    Object instance;
    try {
      instance = lookup.findStaticGetter(type, FIELD, type).invoke();
    } catch (NoSuchFieldException | IllegalAccessException e) {
      throw RecordClass.unseen(type, e);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t); // a getter throws nothing else
    }
    return new SingletonCodec(name, instance);
  }

  @Override
  public String name() {
    return TypeName.codec("object", typeName.name());
  }

  @Override
  public int fixedLength() {
    return 0;
  }

  @Override
  public void encode(Object value, Encoder out) {
    // The case says it all.
  }

  @Override
  public Object decode(Decoder in) {
    return instance;
  }
}
