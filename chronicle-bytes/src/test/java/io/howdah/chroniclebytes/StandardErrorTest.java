package io.howdah.chroniclebytes;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/chronicle-bytes.md says that Chronicle writes is all it writes. */
final class StandardErrorTest {

  private static final String MEMORY =
      "net.openhft.chronicle.core.Jvm: Unable to determine max direct memory, will always report 0";
  private static final String CLEANER = "ReflectionBasedByteBufferCleanerService";

  @TempDir private Path folder;

  /** A number that marshals itself. */
  static final class Sum implements BytesMarshallable {
    private long value;

    @Override
    public void writeMarshallable(BytesOut<?> bytes) {
      bytes.writeLong(value);
    }

    @Override
    public void readMarshallable(BytesIn<?> bytes) {
      value = bytes.readLong();
    }
  }

  /** Chronicle marshals it. */
  public static final class Open implements BytesMarshallable {
    public int number = 7;
    public String text = "text";

    public Open() {}
  }

  /** A program that uses all there is. */
  static final class Program {

    private Program() {}

    public static void main(String[] args) {
      try (Store store = Store.open(Path.of(args[0]))) {
        PersistentMap<Long, Sum> map =
            store.map("m", Codec.int64(), MarshallableCodec.of(Sum.class, Sum::new));
        PersistentMap<Long, Open> open =
            store.map("o", Codec.int64(), MarshallableCodec.of(Open.class, Open::new));
        var blob = store.blob("b");
        store.run(
            tx -> {
              map.put(tx, 1L, new Sum());
              open.put(tx, 1L, new Open());
              blob.write(tx, 0, new byte[] {4, 't', 'e', 'x', 't', 1, 'y', 2, 3, 4});
            });
        store.run(
            tx -> {
              Bytes<Void> bytes = BlobBytes.view(tx, blob);
              System.out.println(
                  bytes.readUtf8()
                      + bytes.read8bit()
                      + bytes.read(new byte[2])
                      + bytes.readStopBit());
              System.out.println(map.get(tx, 1L) != null && open.get(tx, 1L) != null);
            });
      }
    }
  }

  @Test
  void chronicleWritesTheDocumentedLinesAndNoOther() throws Exception {
    List<String> lines = run(classPath(_ -> true));
    assertThat(lines).hasSize(10);
    assertThat(lines.subList(0, 3)).allSatisfy(line -> assertThat(line).startsWith("SLF4J(W): "));
    assertThat(lines.get(3)).contains("A terminally deprecated method in sun.misc.Unsafe");
    assertThat(lines.subList(3, 7)).allSatisfy(line -> assertThat(line).startsWith("WARNING: "));
    requireTheRest(lines.subList(7, 10));
  }

  private static void requireTheRest(List<String> lines) {
    assertThat(lines).hasSize(3).contains(MEMORY);
    assertThat(lines).filteredOn(line -> line.contains(CLEANER)).hasSize(2);
  }

  @Test
  void theDocumentedFlagAndAProviderSilenceTheRest() throws Exception {
    List<String> lines = run(classPath(_ -> false), "--sun-misc-unsafe-memory-access=allow");
    requireTheRest(lines);
  }

  /** The tests' class path; without providers of SLF4J where {@code plain} says so. */
  private static String classPath(Predicate<String> plain) {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.contains("slf4j-nop") || !plain.test(entry))
        .reduce((a, b) -> a + File.pathSeparator + b)
        .orElseThrow();
  }

  private List<String> run(String classPath, String... flags)
      throws IOException, InterruptedException {
    Path err = folder.resolve("err");
    Path out = folder.resolve("out");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(flags));
    command.addAll(
        List.of("-cp", classPath, Program.class.getName(), folder.resolve("store").toString()));
    Process java =
        new ProcessBuilder(command)
            .redirectError(err.toFile())
            .redirectOutput(out.toFile())
            .start();
    int exit = java.waitFor();
    List<String> written = Files.readAllLines(err);
    assertThat(exit).as(() -> String.join("\n", written)).isZero();
    assertThat(out).hasContent("texty24\ntrue");
    return written.stream().filter(line -> !line.isBlank()).toList();
  }
}
