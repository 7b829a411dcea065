package io.howdah.crashtest.fuzz;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.Backing;
import io.howdah.core.HowdahException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files of a store that was killed after a checkpoint, or of a backup of it: superblock, image,
 * sums, journals, log segments and rings, with changes. An opening that loads the image refuses the
 * store, or shows words as they were after one of the transactions.
 *
 * <p>An input is a list of changes of eight bytes each: file, kind, offset (three bytes), length,
 * value, and a byte that is odd if checksums are to be made right afterwards. Kinds are: set bytes,
 * flip one bit, cut the file. With right checksums a file is another one rather than a damaged one,
 * so what the store then shows may be anything, but it refuses in its own words.
 */
public final class StoreFilesTarget implements FuzzTarget {

  private static final int CHANGE_BYTES = 8;
  private static final int MAX_CHANGES = 16;
  private static final int WORDS = 64;
  private static final int TRANSACTIONS = 12;

  private static final List<String> DIRECTORIES = List.of("", "journal", "log/0", "log/1", "rings");

  private final String name;
  private final String what;
  private final SimulatedDisk killed;
  private final List<String> files;

  private StoreFilesTarget(String name, String what, SimulatedDisk killed) {
    this.name = name;
    this.what = what;
    this.killed = killed;
    this.files = files(killed.fork());
  }

  /** Returns the files of a store that was killed. */
  public static StoreFilesTarget ofKilledStore() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    SimulatedDisk killed;
    try (Store store = Store.open(options(disk.storage()))) {
      fill(store);
      killed = disk.fork(); // what a kill would leave
    }
    killed.kill();
    return new StoreFilesTarget(
        "store-files",
        "superblock, image, sums, journals, log and rings of a killed store",
        killed);
  }

  /** Returns the files of a backup of the same store. */
  public static StoreFilesTarget ofBackup() {
    SimulatedDisk copy = SimulatedDisk.seeded(2);
    try {
      Path folder = Files.createTempDirectory("howdah-fuzz");
      try (Store store = Store.open(options(SimulatedDisk.seeded(1).storage()))) {
        fill(store);
        store.admin().backup(folder.resolve("backup"));
        copy(folder.resolve("backup"), copy.storage());
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new StoreFilesTarget("backup-files", "the files of a backup", copy);
  }

  private static void copy(Path from, Storage to) throws IOException {
    try (Stream<Path> found = Files.walk(from)) {
      for (Path file : found.filter(file -> !file.equals(from)).toList()) {
        String name = from.relativize(file).toString();
        if (Files.isDirectory(file)) {
          to.createDirectory(name);
        } else {
          try (StorageFile open = to.create(name)) {
            write(open, 0, Files.readAllBytes(file));
          }
        }
      }
    }
  }

  private static void write(StorageFile file, long offset, byte[] bytes) {
    if (bytes.length > 0) {
      file.write(offset, ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> found = Files.walk(folder)) {
      for (Path file : found.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void fill(Store store) {
    long words =
        store.call(
            tx -> {
              tx.root(0, tx.allocate(WORDS * 8L));
              return tx.root(0);
            });
    for (int i = 1; i <= TRANSACTIONS; i++) {
      long value = i;
      store.run(
          TxOptions.sync(),
          tx -> {
            for (int word = 0; word < WORDS; word++) {
              tx.putLong(words + 8L * word, value);
            }
          });
      if (i == TRANSACTIONS / 2) {
        store.admin().checkpoint();
      }
    }
  }

  private static StoreOptions options(Storage storage) {
    return StoreOptions.defaults()
        .withStorage(storage)
        .withBacking(Backing.RESIDENT)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10)
        .withMaxSize(1 << 18)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
  }

  private static List<String> files(SimulatedDisk disk) {
    List<String> found = new ArrayList<>();
    Storage storage = disk.storage();
    for (String directory : DIRECTORIES) {
      try {
        for (String name : storage.list(directory)) {
          String path = directory.isEmpty() ? name : directory + "/" + name;
          if (disk.contents(path).length > 0) {
            found.add(path);
          }
        }
      } catch (RuntimeException e) {
        // No such directory in this store, or a directory in place of a file.
      }
    }
    return found;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String what() {
    return what;
  }

  @Override
  public List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    seeds.add(new byte[0]);
    for (int file = 0; file < files.size(); file++) {
      for (int kind = 0; kind < 3; kind++) {
        seeds.add(new byte[] {(byte) file, (byte) kind, 0, 0, 0, 1, 1, 0});
        seeds.add(new byte[] {(byte) file, (byte) kind, 0, 16, 8, 8, -1, 0});
        seeds.add(new byte[] {(byte) file, (byte) kind, 0, 0, 40, 1, 1, 1});
        seeds.add(new byte[] {(byte) file, (byte) kind, 0, 16, 24, 4, 3, 1});
      }
    }
    return seeds;
  }

  @Override
  public void run(byte[] input) {
    SimulatedDisk disk = killed.fork();
    boolean mended = false;
    for (int i = 0; i + CHANGE_BYTES <= input.length && i / CHANGE_BYTES < MAX_CHANGES; ) {
      change(disk, input, i);
      mended |= (input[i + CHANGE_BYTES - 1] & 1) != 0;
      i += CHANGE_BYTES;
    }
    if (mended) {
      files.forEach(file -> mend(disk, file));
    }
    List<Long> found = new ArrayList<>();
    try (Store store = Store.open(options(disk.storage()))) {
      store.read(
          tx -> {
            found.clear();
            for (int word = 0; word < WORDS && tx.root(0) != 0; word++) {
              found.add(tx.getLong(tx.root(0) + 8L * word));
            }
            return 0;
          });
    } catch (HowdahException e) {
      if (input.length < CHANGE_BYTES) {
        throw e; // nothing was changed
      }
      return; // it says what is wrong
    }
    if (mended) {
      return; // a store like any other
    }
    if (found.isEmpty() || found.stream().distinct().count() != 1) {
      throw new Violation("a damaged store opens and shows " + found);
    }
    long value = found.getFirst();
    if (value < TRANSACTIONS / 2 || value > TRANSACTIONS) {
      throw new Violation("a damaged store opens as of transaction " + value);
    }
  }

  private static void mend(SimulatedDisk disk, String file) {
    byte[] bytes = disk.contents(file);
    byte[] mended = bytes.clone();
    Checksums.mend(mended);
    if (!Arrays.equals(bytes, mended)) {
      try (StorageFile open = disk.storage().open(file, Storage.Access.READ_WRITE)) {
        write(open, 0, mended);
      }
    }
  }

  private void change(SimulatedDisk disk, byte[] input, int at) {
    String file = files.get(Byte.toUnsignedInt(input[at]) % files.size());
    int size = disk.contents(file).length;
    if (size == 0) {
      return;
    }
    int position =
        Byte.toUnsignedInt(input[at + 2]) << 16
            | Byte.toUnsignedInt(input[at + 3]) << 8
            | Byte.toUnsignedInt(input[at + 4]);
    int offset = position % size;
    switch (Byte.toUnsignedInt(input[at + 1]) % 3) {
      case 0 -> {
        int length = Math.min(Byte.toUnsignedInt(input[at + 5]), size - offset);
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, input[at + 6]);
        try (StorageFile open = disk.storage().open(file, Storage.Access.READ_WRITE)) {
          write(open, offset, bytes);
        }
      }
      case 1 -> disk.flipBit(file, offset, input[at + 5] & 7);
      default -> disk.truncate(file, offset);
    }
  }
}
