package io.howdah.cli.store;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.reflect.AccessFlag;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The records, enums and sealed interfaces of a class path. Class files are parsed first, so only
 * classes of these kinds are loaded, and none is initialised here.
 */
final class ClassPathTypes implements Closeable {

  private static final String SUFFIX = ".class";
  private static final ClassFile PARSER =
      ClassFile.of(
          ClassFile.DebugElementsOption.DROP_DEBUG, ClassFile.LineNumbersOption.DROP_LINE_NUMBERS);

  private final URLClassLoader loader;
  private final List<Class<?>> types = new ArrayList<>();

  /**
   * Reads a class path.
   *
   * @param places folders and jars that are there
   */
  ClassPathTypes(List<Path> places) throws IOException {
    List<URL> addresses = new ArrayList<>();
    for (Path place : places) {
      addresses.add(place.toUri().toURL());
    }
    loader =
        new URLClassLoader(addresses.toArray(URL[]::new), ClassPathTypes.class.getClassLoader());
    try {
      for (Path place : places) {
        if (Files.isDirectory(place)) {
          addAll(place);
        } else {
          try (FileSystem jar = FileSystems.newFileSystem(place)) {
            addAll(jar.getPath("/"));
          }
        }
      }
    } catch (IOException | RuntimeException e) {
      try (loader) {
        throw e;
      }
    }
  }

  private void addAll(Path root) throws IOException {
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      files
          .filter(file -> file.toString().endsWith(SUFFIX))
          .filter(file -> !root.relativize(file).startsWith("META-INF"))
          .forEach(file -> addName(file, names));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    for (String name : names) {
      try {
        types.add(Class.forName(name, false, loader));
      } catch (ClassNotFoundException | LinkageError e) {
        // Its superclass is not on this class path, or it is in another folder: it is not in use.
      }
    }
  }

  private static void addName(Path file, List<String> names) {
    try {
      ClassModel model = PARSER.parse(Files.readAllBytes(file));
      if (isStorable(model)) {
        names.add(model.thisClass().asInternalName().replace('/', '.'));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (IllegalArgumentException e) {
      // Not a class file that a JVM would load either.
    }
  }

  private static boolean isStorable(ClassModel model) {
    return model.findAttribute(Attributes.record()).isPresent()
        || model.flags().has(AccessFlag.ENUM)
        || model.findAttribute(Attributes.permittedSubclasses()).isPresent();
  }

  /** Returns the types. They are usable until this is closed. */
  List<Class<?>> types() {
    return types;
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }
}
