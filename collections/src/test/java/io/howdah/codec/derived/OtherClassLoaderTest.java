package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Records of class loaders that are not Howdah's, as development tools and servers have them. */
final class OtherClassLoaderTest {

  record Line(String text, int length) {}

  record Note(long id, String title, List<Line> lines, boolean isDone) {}

  /** Defines the records anew, and has the rest from a parent. */
  private static final class Child extends ClassLoader {

    Child(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> found = findLoadedClass(name);
        if (found == null && name.startsWith(OtherClassLoaderTest.class.getName())) {
          byte[] bytes = bytes(name);
          found = defineClass(name, bytes, 0, bytes.length);
        }
        return found != null ? found : super.loadClass(name, resolve);
      }
    }

    private static byte[] bytes(String name) {
      try (InputStream in =
          Objects.requireNonNull(
              OtherClassLoaderTest.class
                  .getClassLoader()
                  .getResourceAsStream(name.replace('.', '/') + ".class"))) {
        return in.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static final Note OWN = new Note(7, "a", List.of(new Line("x", 1)), true);

  private static Object note(ClassLoader loader) throws Exception {
    Class<?> line = loader.loadClass(Line.class.getName());
    Class<?> note = loader.loadClass(Note.class.getName());
    var newLine = line.getDeclaredConstructor(String.class, int.class);
    var newNote = note.getDeclaredConstructor(long.class, String.class, List.class, boolean.class);
    newLine.setAccessible(true);
    newNote.setAccessible(true);
    return newNote.newInstance(7, "a", List.of(newLine.newInstance("x", 1)), true);
  }

  @SuppressWarnings("unchecked") // the codec of the class that the value has
  private static void requireSameBytes(ClassLoader loader) throws Exception {
    Object note = note(loader);
    assertThat(note).isNotInstanceOf(Note.class);
    Codec<Object> codec = (Codec<Object>) Codecs.of(note.getClass());
    byte[] bytes = CodecBytes.encode(codec, note);
    assertThat(bytes).isEqualTo(CodecBytes.encode(Codecs.of(Note.class), OWN));
    assertThat(CodecBytes.decode(codec, bytes)).isEqualTo(note);
    assertThat(codec.name()).isEqualTo(Codecs.of(Note.class).name());
  }

  @Test
  void aChildOfHowdahsLoader() throws Exception {
    requireSameBytes(new Child(OtherClassLoaderTest.class.getClassLoader()));
  }

  @Test
  void aLoaderThatDoesNotSeeHowdah() throws Exception {
    requireSameBytes(new Child(ClassLoader.getPlatformClassLoader()));
  }
}
