package io.howdah.jcache;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the compatibility kit needs, whose keys and values are of any serializable class: Java
 * serialization, which Howdah itself never uses.
 */
public final class SerializingCodecs implements CacheCodecs {

  private static final Set<Class<?>> OF_STORE = Set.of(String.class, Long.class, Integer.class);

  @Override
  public <T> @Nullable Codec<T> codec(Class<T> type, ClassLoader loader) {
    return OF_STORE.contains(type) ? null : new Serialized<>(type, loader);
  }

  /** Serialized objects of a type. */
  private record Serialized<T>(Class<T> type, ClassLoader loader) implements Codec<T> {

    @Override
    public String name() {
      return "serialized " + type.getName();
    }

    @Override
    public void encode(T value, Encoder out) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
        objects.writeObject(type.cast(value));
      } catch (IOException e) {
        throw new CodecException(value.getClass() + " cannot be serialized: " + e);
      }
      out.putBytes(bytes.toByteArray());
    }

    @Override
    public T decode(Decoder in) {
      byte[] bytes = in.getBytes(in.remaining());
      try (ObjectInputStream objects =
          new ObjectInputStream(new ByteArrayInputStream(bytes)) {
            @Override
            protected Class<?> resolveClass(ObjectStreamClass described)
                throws IOException, ClassNotFoundException {
              try {
                return Class.forName(described.getName(), false, loader);
              } catch (ClassNotFoundException e) {
                return super.resolveClass(described);
              }
            }
          }) {
        return type.cast(objects.readObject());
      } catch (IOException | ClassNotFoundException e) {
        throw new CodecException("an object cannot be read: " + e);
      }
    }
  }
}
