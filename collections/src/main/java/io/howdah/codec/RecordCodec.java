package io.howdah.codec;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records by component, in the order of their declaration. A component of varying length goes with
 * its length before it, 4 bytes.
 */
final class RecordCodec<R extends Record> implements Codec<R> {

  private static final Map<Class<?>, Codec<?>> LEAVES =
      Map.ofEntries(
          Map.entry(long.class, Primitives.INT64),
          Map.entry(int.class, Primitives.INT32),
          Map.entry(short.class, Primitives.INT16),
          Map.entry(byte.class, Primitives.INT8),
          Map.entry(boolean.class, Primitives.BOOL),
          Map.entry(char.class, Primitives.CHARACTER),
          Map.entry(double.class, Primitives.FLOAT64),
          Map.entry(float.class, Primitives.FLOAT32),
          Map.entry(String.class, Utf8Codec.INSTANCE),
          Map.entry(byte[].class, Primitives.BYTES));

  private record Component(String name, MethodHandle accessor, Codec<Object> codec) {}

  private final String name;
  private final List<Component> components;
  private final MethodHandle constructor;
  private final int fixedLength;

  private RecordCodec(String name, List<Component> components, MethodHandle constructor) {
    this.name = name;
    this.components = components;
    this.constructor = constructor;
    int length = 0;
    for (Component component : components) {
      int own = component.codec.fixedLength();
      length = length < 0 || own < 0 ? VARIABLE : length + own;
    }
    this.fixedLength = length;
  }

  static <R extends Record> RecordCodec<R> of(
      MethodHandles.Lookup lookup, Class<R> type, List<Class<?>> within) {
    List<Component> components = new ArrayList<>();
    List<String> names = new ArrayList<>();
    List<Class<?>> types = new ArrayList<>();
    List<Class<?>> path = new ArrayList<>(within);
    path.add(type);
    try {
      for (RecordComponent component : type.getRecordComponents()) {
        Codec<Object> codec = codec(lookup, component, path);
        MethodHandle accessor =
            lookup
                .findVirtual(type, component.getName(), MethodType.methodType(component.getType()))
                .asType(MethodType.methodType(Object.class, Record.class));
        components.add(new Component(component.getName(), accessor, codec));
        names.add(component.getName() + ":" + codec.name());
        types.add(component.getType());
      }
      MethodHandle constructor =
          lookup
              .findConstructor(type, MethodType.methodType(void.class, types))
              .asSpreader(Object[].class, types.size())
              .asType(MethodType.methodType(Record.class, Object[].class));
      return new RecordCodec<>(
          "record " + type.getName() + "(" + String.join(",", names) + ")",
          List.copyOf(components),
          constructor);
    } catch (IllegalAccessException | NoSuchMethodException e) {
      throw new CodecException(
          "the lookup given does not see "
              + type.getName()
              + "; call MethodHandles.lookup() in a"
              + " class that does",
          e);
    }
  }

  @SuppressWarnings("unchecked") // the accessor returns what the codec takes
  private static Codec<Object> codec(
      MethodHandles.Lookup lookup, RecordComponent component, List<Class<?>> path) {
    Class<?> type = component.getType();
    Codec<?> leaf = LEAVES.get(type);
    if (leaf != null) {
      return (Codec<Object>) leaf;
    }
    String where = path.getLast().getName() + "." + component.getName();
    if (path.contains(type)) {
      throw new CodecException(where + " embeds " + type.getName() + " in itself");
    }
    if (type.isEnum()) {
      return (Codec<Object>) enumCodec(type);
    }
    if (type.isRecord()) {
      return (Codec<Object>) (Codec<?>) of(lookup, type.asSubclass(Record.class), path);
    }
    throw new CodecException(
        where
            + " has the type "
            + type.getTypeName()
            + ", which no codec of records knows; use"
            + " primitives, String, byte[], enums and records");
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // the class was asked whether it is an enum
  private static Codec<?> enumCodec(Class<?> type) {
    return new EnumCodec(type);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int fixedLength() {
    return fixedLength;
  }

  @Override
  public void encode(R value, Encoder out) {
    for (Component component : components) {
      Object part = part(component, value);
      if (part == null) {
        throw new CodecException(name + " cannot encode null in component " + component.name);
      }
      if (component.codec.fixedLength() >= 0) {
        component.codec.encode(part, out);
      } else {
        int at = out.length();
        out.putInt(0);
        component.codec.encode(part, out);
        out.setInt(at, out.length() - at - Integer.BYTES);
      }
    }
  }

  private @Nullable Object part(Component component, Record value) {
    try {
      return (Object) component.accessor.invokeExact(value);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new CodecException(name + ": accessor " + component.name + " failed", t);
    }
  }

  @Override
  @SuppressWarnings("unchecked") // the constructor is R's
  public R decode(Decoder in) {
    @Nullable Object[] parts = new Object[components.size()];
    for (int i = 0; i < parts.length; i++) {
      Codec<Object> codec = components.get(i).codec;
      int length = codec.fixedLength() >= 0 ? codec.fixedLength() : in.getInt();
      parts[i] = codec.decode(in.slice(length));
    }
    try {
      return (R) (Record) constructor.invokeExact(parts);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new CodecException(name + ": the constructor failed", t);
    }
  }
}
