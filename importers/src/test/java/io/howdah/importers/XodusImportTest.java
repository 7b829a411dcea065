package io.howdah.importers;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import jetbrains.exodus.bindings.LongBinding;
import jetbrains.exodus.bindings.StringBinding;
import jetbrains.exodus.env.Environment;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.Store;
import jetbrains.exodus.env.StoreConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code howdah import xodus}. */
final class XodusImportTest {

  private static final int ENTRIES = 3000;

  @TempDir private Path folder;

  private Path directory() {
    return folder.resolve("xodus");
  }

  private Path target() {
    return folder.resolve("store");
  }

  private Environment open() {
    return Environments.newInstance(
        directory().toFile(), new EnvironmentConfig().setManagementEnabled(false));
  }

  private static void fill(Environment environment, StoreConfig config) {
    environment.executeInTransaction(
        transaction -> {
          Store store = environment.openStore("stock", config, transaction);
          for (int i = 0; i < ENTRIES; i++) {
            store.put(
                transaction, StringBinding.stringToEntry("key " + i), LongBinding.longToEntry(i));
          }
        });
  }

  private void fill(StoreConfig config) {
    Environment environment = open();
    fill(environment, config);
    environment.close();
  }

  @Test
  void storesComeOverAsBytesOrAsTheirBindings() {
    fill(StoreConfig.WITHOUT_DUPLICATES_WITH_PREFIXING);
    ImportRun run =
        ImportRun.of("xodus", "--keys", "utf8", "--values", "int64", directory(), target());
    assertThat(run.exit()).as(run.out()).isZero();
    assertThat(Stored.sorted(target(), "stock", Codec.utf8(), Codec.int64()))
        .hasSize(ENTRIES)
        .containsEntry("key 2999", 2999L);
    Path other = folder.resolve("other");
    assertThat(ImportRun.of("xodus", directory(), other).exit()).isZero();
    assertThat(Stored.sorted(other, "stock", Codec.bytes(), Codec.bytes()))
        .hasSize(ENTRIES)
        .containsEntry("6b6579203700", "8000000000000007");
  }

  @Test
  void severalValuesOfAKeyAreRefused() {
    fill(StoreConfig.WITH_DUPLICATES);
    ImportRun run = ImportRun.of("xodus", directory(), target());
    assertThat(run.exit()).isOne();
    assertThat(run.out()).contains("has several values for a key");
    assertThat(Files.exists(target())).isFalse();
  }

  @Test
  void aDirectoryThatIsOpenIsRefused() {
    Environment environment = open();
    fill(environment, StoreConfig.WITHOUT_DUPLICATES);
    ImportRun run = ImportRun.of("xodus", directory(), target());
    assertThat(run.exit()).isOne();
    assertThat(run.out()).contains("is open in another process");
    environment.close();
    assertThat(Files.exists(target())).isFalse();
  }

  /** Xodus would make an environment there. */
  @Test
  void whatIsNoEnvironmentIsRefusedAndStaysAsItIs() throws Exception {
    Files.createDirectory(directory());
    ImportRun run = ImportRun.of("xodus", directory(), target());
    assertThat(run.exit()).isOne();
    assertThat(run.out()).contains("is no environment of Xodus: it has no file *.xd");
    assertThat(directory()).isEmptyDirectory();
  }

  /** Xodus has no checksums: within a value nothing can tell. */
  @Test
  void damageThatXodusNoticesIsAnErrorThatExplainsItself() throws Exception {
    fill(StoreConfig.WITHOUT_DUPLICATES);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory(), "*.xd")) {
      for (Path file : files) {
        byte[] content = Files.readAllBytes(file);
        for (int i = 0; i < content.length; i += 7) {
          content[i] ^= 0x55;
        }
        Files.write(file, content);
      }
    }
    ImportRun run = ImportRun.of("xodus", directory(), target());
    assertThat(run.exit()).isOne();
    assertThat(run.out()).contains("cannot be opened by Xodus, which is damage, or encryption");
    assertThat(Files.exists(target())).isFalse();
  }
}
