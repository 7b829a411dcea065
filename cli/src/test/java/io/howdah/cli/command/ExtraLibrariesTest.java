package io.howdah.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchivePlaces;
import io.howdah.archive.ArchiveTarget;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Libraries in a folder of their own. */
final class ExtraLibrariesTest {

  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  @TempDir private Path folder;

  @AfterEach
  void putBack() {
    Thread.currentThread().setContextClassLoader(before);
  }

  /** A library for addresses that begin with {@code test://}. */
  public static final class TestPlaces implements ArchivePlaces {

    /** Creates it, for the service loader. */
    public TestPlaces() {}

    @Override
    public String scheme() {
      return "test";
    }

    @Override
    public Supplier<ArchiveTarget> at(String address) {
      return () -> {
        throw new IllegalStateException(address);
      };
    }
  }

  @Test
  void theServiceLoaderFindsWhatIsInAJarOfTheFolder() throws Exception {
    Path jar = folder.resolve("places.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file)) {
      out.putNextEntry(new JarEntry("META-INF/services/" + ArchivePlaces.class.getName()));
      out.write(TestPlaces.class.getName().getBytes(StandardCharsets.UTF_8));
      out.closeEntry();
    }
    ExtraLibraries.use(folder);
    assertThat(Archive.in("test://x").place()).contains("test://x");
  }

  @Test
  void aFolderThatIsAbsentChangesNothing() {
    ExtraLibraries.use(folder.resolve("absent"));
    assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
  }
}
