package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the components of a record by method handles, slower than the class that {@link
 * RecordClass} makes, with the same bytes. For records whose module or class loader cannot have
 * such a class: those of another unnamed module, as with the class loaders of development tools and
 * of servers, or in a package that is open to Howdah.
 */
final class ReflectedRecord<R> implements Codec<R> {

  private final String name;
  private final List<Codec<Object>> codecs = new ArrayList<>();
  private final List<MethodHandle> accessors = new ArrayList<>();
  private final MethodHandle constructor;

  private ReflectedRecord(RecordType<R> type) throws NoSuchMethodException, IllegalAccessException {
    this.name = type.type().getSimpleName();
    for (RecordType.Component component : type.components()) {
      codecs.add(anyCodec(component.part())); // framed where it has to be
      accessors.add(accessor(type, component));
    }
    this.constructor = constructor(type, new BitSet());
  }

  /** Returns whether a record's loader and module can have a class that implements a codec. */
  static boolean isNeeded(RecordType<?> type) {
    return !type.lookup().hasFullPrivilegeAccess() || !seesCodecs(type.type());
  }

  private static boolean seesCodecs(Class<?> type) {
    try {
      return Class.forName(Codec.class.getName(), false, type.getClassLoader()) == Codec.class;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /** Returns the codec of a record's components. */
  static <R> Codec<R> make(RecordType<R> type) {
    try {
      return new ReflectedRecord<>(type);
    } catch (IllegalAccessException | NoSuchMethodException e) {
      throw RecordClass.unseen(type.type(), e);
    }
  }

  private static MethodHandle accessor(RecordType<?> type, RecordType.Component component)
      throws NoSuchMethodException, IllegalAccessException {
    MethodHandle found;
    try {
      found =
          type.access().inFields()
              ? type.lookup().findGetter(type.type(), component.name(), component.type())
              : type.lookup()
                  .findVirtual(
                      type.type(), component.name(), MethodType.methodType(component.type()));
    } catch (NoSuchFieldException e) {
      throw new IllegalArgumentException(e); // a describer named a field that is not there
    }
    Wrapping wrapping = component.wrapping();
    if (wrapping != null) {
      found =
          MethodHandles.filterReturnValue(found, wrapping.wrap(component.type(), type.lookup()));
    }
    return found.asType(MethodType.methodType(Object.class, Object.class));
  }

  /**
   * Returns a handle of a record's constructor that takes an array of all components.
   *
   * @param defaulted the components that get their defaults, whatever the array has for them
   */
  static MethodHandle constructor(RecordType<?> type, BitSet defaulted)
      throws NoSuchMethodException, IllegalAccessException {
    List<Class<?>> types = new ArrayList<>();
    type.components().forEach(component -> types.add(component.type()));
    int count = types.size();
    try {
      MethodHandle constructor =
          defaulted.isEmpty()
              ? type.lookup().findConstructor(type.type(), MethodType.methodType(void.class, types))
              : withDefaults(type, types, defaulted);
      for (int i = 0; i < count; i++) {
        RecordType.Component component = type.components().get(i);
        Wrapping wrapping = component.wrapping();
        if (defaulted.get(i)) {
          constructor = ignored(constructor, i);
        } else if (wrapping != null) {
          MethodHandle unwrap = wrapping.unwrap(component.type(), type.lookup());
          constructor = MethodHandles.filterArguments(constructor, i, unwrap);
        }
      }
      return constructor
          .asSpreader(Object[].class, count)
          .asType(MethodType.methodType(Object.class, Object[].class));
    } catch (IllegalArgumentException e) {
      throw new CodecException(
          "record "
              + type.type().getName()
              + " has too many components for a method handle: at most 253, where a long and a"
              + " double count as two",
          e);
    }
  }

  /** Returns the constructor of the defaults, as {@link ClassDescription.Composite} has it. */
  private static MethodHandle withDefaults(
      RecordType<?> type, List<Class<?>> types, BitSet defaulted)
      throws NoSuchMethodException, IllegalAccessException {
    int count = types.size();
    List<Class<?>> all = new ArrayList<>(types);
    List<@Nullable Object> rest = new ArrayList<>();
    long[] bits = defaulted.toLongArray();
    for (int word = 0; word * Integer.SIZE < count; word++) {
      all.add(int.class);
      long both = word / 2 < bits.length ? bits[word / 2] : 0;
      rest.add((int) (both >>> (word % 2 * Integer.SIZE)));
    }
    all.add(Objects.requireNonNull(type.access().defaultsMarker()));
    rest.add(null);
    MethodHandle constructor =
        type.lookup().findConstructor(type.type(), MethodType.methodType(void.class, all));
    return MethodHandles.insertArguments(constructor, count, rest.toArray());
  }

  /** Returns a handle that takes any object at a place, and passes zero or null. */
  private static MethodHandle ignored(MethodHandle handle, int at) {
    MethodHandle zero = MethodHandles.zero(handle.type().parameterType(at));
    return MethodHandles.filterArguments(
        handle, at, MethodHandles.dropArguments(zero, 0, Object.class));
  }

  @SuppressWarnings("unchecked") // the components of R are what its accessors return
  private static Codec<Object> anyCodec(Codec<?> codec) {
    return (Codec<Object>) codec;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void encode(R value, Encoder out) {
    for (int i = 0; i < codecs.size(); i++) {
      Object component;
      try {
        component = accessors.get(i).invokeExact((Object) value);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable t) {
        throw new CodecException("an accessor of a record failed", t);
      }
      codecs.get(i).encode(component, out);
    }
  }

  @Override
  @SuppressWarnings("unchecked") // the constructor is R's
  public R decode(Decoder in) {
    Object[] values = new Object[codecs.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = codecs.get(i).decode(in);
    }
    try {
      return (R) (Object) constructor.invokeExact(values);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new CodecException("a record's constructor failed", t);
    }
  }
}
