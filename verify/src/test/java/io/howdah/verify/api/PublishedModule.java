package io.howdah.verify.api;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A module that programs depend on, as the tests' class path holds it: as a jar or as the folder of
 * its classes.
 *
 * @param name as its descriptor has it, or its root package where it has none
 * @param anchor any of its types
 */
record PublishedModule(String name, Class<?> anchor) {

  SortedMap<String, List<String>> api() throws IOException, URISyntaxException {
    Path location = Path.of(anchor.getProtectionDomain().getCodeSource().getLocation().toURI());
    if (Files.isDirectory(location)) {
      return api(location);
    }
    try (FileSystem jar =
        FileSystems.newFileSystem(URI.create("jar:" + location.toUri()), java.util.Map.of())) {
      return api(jar.getPath("/"));
    }
  }

  private SortedMap<String, List<String>> api(Path classes) throws IOException {
    List<Class<?>> types = new ArrayList<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.sorted().toList()) {
        String path = classes.relativize(file).toString();
        if (path.startsWith("io/howdah/")
            && path.endsWith(".class")
            && !path.endsWith("-info.class")) {
          types.add(load(path.substring(0, path.length() - ".class".length()).replace('/', '.')));
        }
      }
    }
    return new ApiText(exported(classes, types)).describe(types);
  }

  private Class<?> load(String type) {
    try {
      return Class.forName(type, false, anchor.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  /** What is exported to some modules by name is ours alone. */
  private static Set<String> exported(Path classes, List<Class<?>> types) throws IOException {
    Path descriptor = classes.resolve("module-info.class");
    if (!Files.exists(descriptor)) {
      return types.stream().map(Class::getPackageName).collect(Collectors.toSet());
    }
    try (InputStream in = Files.newInputStream(descriptor)) {
      return ModuleDescriptor.read(in).exports().stream()
          .filter(exports -> !exports.isQualified())
          .map(ModuleDescriptor.Exports::source)
          .collect(Collectors.toSet());
    }
  }
}
