package io.howdah.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.PersistentName;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code howdah check-schema} on classes that are compiled here, in a folder and in a jar. */
final class CheckSchemaCommandTest {

  @PersistentName("shop.Order")
  record Order(long id, String client) {}

  @PersistentName("shop.State")
  enum State {
    OPEN,
    PAID
  }

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void createStore() {
    StoreOptions small = StoreOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12);
    try (Store store = Store.open(folder.resolve("store"), small)) {
      store.map("orders", Long.class, Order.class);
      store.map("states", Long.class, State.class);
    }
  }

  private Path compiled(String name, String order, String state) throws IOException {
    Path sources = Files.createDirectories(folder.resolve(name + "-sources/shop"));
    Path classes = Files.createDirectories(folder.resolve(name));
    Path orders = Files.writeString(sources.resolve("Order.java"), "package shop;\n" + order);
    Path states = Files.writeString(sources.resolve("State.java"), "package shop;\n" + state);
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(),
                "-d",
                classes.toString(),
                "-proc:none",
                orders.toString(),
                states.toString());
    assertThat(code).isZero();
    return classes;
  }

  private int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return new CommandLine(new CheckSchemaCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  private int check(Path... classPath) {
    String joined =
        String.join(File.pathSeparator, List.of(classPath).stream().map(Path::toString).toList());
    return run(folder.resolve("store").toString(), "--class-path", joined);
  }

  @Test
  void theSameClassesNeedNoChange() throws IOException {
    Path classes =
        compiled("same", "record Order(long id, String client) {}", "enum State { OPEN, PAID }");
    assertThat(check(classes)).as(out + "%s", err).isZero();
    assertThat(out.toString()).contains("shop.Order: stays as it is", "shop.State: stays as it is");
  }

  @Test
  void whatWouldChangeIsToldAndNothingIsChanged() throws IOException {
    Path classes =
        compiled(
            "next",
            "record Order(long id, String client, int pieces) {}",
            "enum State { OPEN, PAID, LOST }");
    for (int i = 0; i < 2; i++) {
      assertThat(check(classes)).as("%s", err).isEqualTo(1);
      assertThat(out.toString())
          .contains("shop.Order: CHANGES from \"record, shape 1: id int64, client utf8\" to")
          .contains("shape 2: id int64, client utf8, pieces int32")
          .contains("shop.State: CHANGES from \"enum: OPEN, PAID\" to \"enum: OPEN, PAID, LOST\"");
    }
  }

  @Test
  void aJarIsReadAsWellAndARefusalSaysWhy() throws IOException {
    Path classes = compiled("bad", "record Order(long id, long client) {}", "class Nothing {}");
    Path jar = folder.resolve("bad.jar");
    try (FileSystem file =
        FileSystems.newFileSystem(URI.create("jar:" + jar.toUri()), Map.of("create", "true"))) {
      Path inside = Files.createDirectories(file.getPath("/shop"));
      Files.copy(classes.resolve("shop/Order.class"), inside.resolve("Order.class"));
      Files.writeString(inside.resolve("Broken.class"), "no class file");
    }
    assertThat(check(jar)).isEqualTo(1);
    assertThat(out.toString())
        .contains("shop.Order: REFUSED: shop.Order.client is int64 in this program and utf8")
        .contains("shop.State: no class of the class path has this name");
  }

  @Test
  void aPlaceThatIsNotThereIsRefused() {
    assertThat(check(folder.resolve("nowhere"))).isEqualTo(2);
    assertThat(err.toString()).contains("nowhere\", which is not there");
    assertThat(run(folder.resolve("store").toString())).isEqualTo(2);
  }
}
