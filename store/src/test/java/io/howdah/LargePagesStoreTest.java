package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreFailedException;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * With native access a mapped store grows into memory that its image does not back. What it holds
 * is the same in every way to open it, with native access and without.
 */
final class LargePagesStoreTest {

  private static final int MIB = 1 << 20;

  /** Bytes of a block: no part of a page of 2 MiB, so blocks lie across each border. */
  private static final int BLOCK = 300_000;

  private static final int STRIDE = 1000;

  @TempDir Path folder;

  private static StoreOptions options() {
    return StoreOptions.defaults()
        .withMaxSize(64 * MIB)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 12);
  }

  @Test
  void aStoreGrowsAcrossTheBorderOfItsImage() throws Exception {
    Path directory = folder.resolve("store");
    child(directory, 0, 10, "close"); // a new store: no image yet
    requireBlocks(directory, 10, options());
    child(directory, 10, 17, "checkpoint-close"); // a closed one
    requireBlocks(directory, 17, options());
    child(directory, 17, 31, "kill"); // replay across the border
    requireBlocks(directory, 31, options().withReadOnly(true));
    child(directory, 31, 45, "checkpoint-kill");
    child(directory, 45, 52, "checkpoint-more-kill"); // an image and a log
    child(directory, 52, 59, "larger"); // the border stays, the end moves
    requireBlocks(directory, 59, options().withBacking(Backing.RESIDENT));
    requireBlocks(directory, 59, options().withVerifyImage(true));
    assertThat(StoreBackups.check(directory).closed()).isTrue();
    StoreBackups.compact(directory);
    child(directory, 59, 66, "close");
    requireBlocks(directory, 66, options());
    child(directory, 66, 90, "truncated");
  }

  /** Opens here, where there is no native access. */
  private static void requireBlocks(Path directory, int blocks, StoreOptions options) {
    try (Store store = Store.open(directory, options)) {
      Child.require(store, blocks);
    }
  }

  private void child(Path directory, int from, int to, String how) throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:ErrorFile=" + folder.resolve("hs_err"),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                directory.toString(),
                Integer.toString(from),
                Integer.toString(to),
                how)
            .redirectErrorStream(true)
            .start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor(100, TimeUnit.SECONDS)).isTrue();
    assertThat(said).as("%s", how).endsWith("done");
    assertThat(child.exitValue()).isZero();
  }

  /** Requires some blocks, adds others, rewrites all, and ends in one of several ways. */
  static final class Child {

    private Child() {}

    public static void main(String[] arguments) throws IOException {
      Path directory = Path.of(arguments[0]);
      int from = Integer.parseInt(arguments[1]);
      int to = Integer.parseInt(arguments[2]);
      String how = arguments[3];
      StoreOptions options =
          switch (how) {
            case "larger" -> options().withMaxSize(96 * MIB);
            default -> options();
          };
      Store store = Store.open(directory, options);
      require(store, from);
      int middle = how.contains("more") ? (from + to) / 2 : to;
      add(store, from, middle);
      if (how.contains("checkpoint")) {
        store.admin().checkpoint();
      }
      add(store, middle, to);
      require(store, to);
      requireFigure(store);
      if (how.equals("truncated")) {
        requireStop(store, directory);
      }
      System.out.print("done");
      System.out.flush();
      if (how.contains("kill") || how.equals("truncated")) {
        Runtime.getRuntime().halt(0);
      }
      store.close();
    }

    /** The part over the image keeps its protection, and new blocks are in none of it. */
    private static void requireStop(Store store, Path directory) throws IOException {
      long last = blocks(store).getLast();
      long first = blocks(store).getFirst();
      try (FileChannel image =
          FileChannel.open(directory.resolve("image"), StandardOpenOption.WRITE)) {
        image.truncate(1 << 16);
      }
      assertThat(store.<Long, RuntimeException>read(tx -> tx.getLong(last + 16))).isZero();
      assertThatThrownBy(
              () ->
                  store.read(
                      tx -> {
                        long sum = 0;
                        for (int at = 0; at < BLOCK; at += 8) {
                          sum += tx.getLong(first + at);
                        }
                        return sum;
                      }))
          .isInstanceOf(StoreFailedException.class)
          .hasCauseInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("truncated");
    }

    private static void requireFigure(Store store) {
      long bytes = store.admin().largePageBytes().orElse(0);
      StoreFigure figure =
          StoreFigure.all().stream()
              .filter(each -> each.name().equals("largePageBytes"))
              .findFirst()
              .orElseThrow();
      assertThat(figure.read(store.admin())).isGreaterThanOrEqualTo(bytes);
      assertThat(bytes % (2 * MIB)).isZero();
      assertThat(bytes).isLessThanOrEqualTo(store.admin().stats().capacityBytes());
    }

    /** Each block leads to the one before it, a root to the last. */
    private static List<Long> blocks(Store store) {
      return store.read(
          tx -> {
            List<Long> blocks = new ArrayList<>();
            for (long block = tx.root(0); block != 0; block = tx.getLong(block)) {
              blocks.addFirst(block);
            }
            return blocks;
          });
    }

    private static long value(int block, int of) {
      return block * 1_000_003L + of;
    }

    static void require(Store store, int count) {
      List<Long> blocks = blocks(store);
      assertThat(blocks).hasSize(count);
      for (int i = 0; i < count; i++) {
        int number = i;
        long block = blocks.get(i);
        store.read(
            tx -> {
              for (int at = 8; at < BLOCK; at += 8) {
                long expected = at % STRIDE == 8 ? value(number, count) : 0;
                if (tx.getLong(block + at) != expected) {
                  assertThat(tx.getLong(block + at)).as("%d: %d", number, at).isEqualTo(expected);
                }
              }
              return 0;
            });
      }
    }

    /** Adds blocks, and changes all so that they tell how many there are. */
    private static void add(Store store, int from, int to) {
      for (int i = from; i < to; i++) {
        store.run(
            TxOptions.sync(),
            tx -> {
              long block = tx.allocate(BLOCK);
              tx.putLong(block, tx.root(0));
              tx.root(0, block);
            });
      }
      List<Long> blocks = blocks(store);
      for (int i = 0; i < blocks.size(); i++) {
        int number = i;
        store.run(
            TxOptions.sync(),
            tx -> {
              for (int at = 8; at < BLOCK; at += STRIDE) {
                tx.putLong(blocks.get(number) + at, value(number, blocks.size()));
              }
            });
      }
    }
  }
}
