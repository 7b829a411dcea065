package io.howdah.codec.derived;

import io.howdah.codec.CodecException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What stands in a class for a property whose values are wrappers: the stored value of each. The
 * methods of a wrapper are those that {@link ClassDescription.Wrapper} names.
 *
 * @param type the wrapper
 * @param isNullable whether null stands for null, and not for a wrapper of it
 */
record Wrapping(Class<?> type, boolean isNullable) {

  private static final String CHECK = "constructor-impl";
  static final String WRAP = "box-impl";
  static final String UNWRAP = "unbox-impl";

  /** Returns what makes the wrapper of a value that needs no check. */
  MethodHandle wrap(Class<?> stored, MethodHandles.Lookup lookup)
      throws NoSuchMethodException, IllegalAccessException {
    return nullToNull(lookup.findStatic(type, WRAP, MethodType.methodType(type, stored)));
  }

  /** Returns what takes the value out of a wrapper. */
  MethodHandle unwrap(Class<?> stored, MethodHandles.Lookup lookup)
      throws NoSuchMethodException, IllegalAccessException {
    return nullToNull(lookup.findVirtual(type, UNWRAP, MethodType.methodType(stored)));
  }

  private MethodHandle nullToNull(MethodHandle handle)
      throws NoSuchMethodException, IllegalAccessException {
    if (!isNullable) {
      return handle;
    }
    MethodHandle isNull =
        MethodHandles.publicLookup()
            .findStatic(Objects.class, "isNull", MethodType.methodType(boolean.class, Object.class))
            .asType(MethodType.methodType(boolean.class, handle.type().parameterType(0)));
    return MethodHandles.guardWithTest(isNull, MethodHandles.empty(handle.type()), handle);
  }

  /**
   * The methods of a wrapper.
   *
   * @param wrap checks a stored value and returns its wrapper; takes and returns an Object
   * @param unwrap returns the stored value; takes and returns an Object
   */
  record Calls(MethodHandle wrap, MethodHandle unwrap) {

    private static final MethodType ANY = MethodType.methodType(Object.class, Object.class);

    static Calls of(Class<?> type, ClassDescription.Wrapper described, MethodHandles.Lookup lookup)
        throws NoSuchMethodException, IllegalAccessException {
      Class<?> stored = described.storedType();
      Wrapping own = new Wrapping(type, false);
      MethodHandle check = lookup.findStatic(type, CHECK, MethodType.methodType(stored, stored));
      MethodHandle wrap = MethodHandles.filterReturnValue(check, own.wrap(stored, lookup));
      MethodHandle unwrap = own.unwrap(stored, lookup);
      Class<?> valueType = described.stored().type();
      if (valueType != stored) { // a wrapper of a wrapper, without its object
        Wrapping inner = new Wrapping(valueType, described.stored().isNullable());
        wrap = MethodHandles.filterArguments(wrap, 0, inner.unwrap(stored, lookup));
        unwrap = MethodHandles.filterReturnValue(unwrap, inner.wrap(stored, lookup));
      }
      return new Calls(wrap.asType(ANY), unwrap.asType(ANY));
    }

    Object wrapped(@Nullable Object value) {
      return call(wrap, value);
    }

    Object unwrapped(Object value) {
      return call(unwrap, value);
    }

    private static Object call(MethodHandle handle, @Nullable Object value) {
      try {
        return handle.invokeExact(value);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable t) {
        throw new CodecException("a method of a wrapper failed", t);
      }
    }
  }
}
