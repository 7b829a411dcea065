package io.howdah;

import io.howdah.core.Backing;
import io.howdah.core.HowdahException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Stores that were closed or killed, what damage is done to them, and what openings then show. */
final class DamagedStores {

  /** Words in pages of their own, so that most of the image's pages hold one. */
  private static final int WORDS = 40;

  private static final int PAGE = 4096;

  static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 18)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  /** How a store was left. */
  enum Base {
    CLOSED,
    KILLED,
    KILLED_WITHOUT_RINGS,
    JOURNALED
  }

  /** A way into a store. */
  enum Opening {
    DEFAULT,
    READ_ONLY,
    RESIDENT,
    VERIFIED
  }

  /** What an opening shows. */
  enum Found {
    /** Every acknowledged commit. */
    RIGHT,
    /** Every commit acknowledged as durable, and not all of those that only rings held. */
    LESS_THE_RINGS,
    /** A typed error. */
    TYPED,
    /** Wrong words in pages of the image that a mapped opening does not check. */
    WRONG_UNCHECKED,
    /** No data at all. */
    EMPTY,
    /** An earlier state of the store. */
    OLDER,
    /** Wrong data in any other way. */
    WRONG,
    /** An exception that is not Howdah's. */
    RAW
  }

  /**
   * A store that nobody has open.
   *
   * @param disk not to be changed
   * @param words what it holds
   * @param durable what of it was acknowledged as durable
   * @param earlier states that it was in before
   * @param oldFiles of earlier states, by name
   */
  record Left(
      Base base,
      SimulatedDisk disk,
      List<Long> words,
      List<Long> durable,
      List<List<Long>> earlier,
      List<Map<String, byte[]>> oldFiles) {

    List<String> files() {
      return DamagedStores.files(disk.storage());
    }
  }

  private DamagedStores() {}

  static List<String> files(Storage storage) {
    List<String> files = new ArrayList<>();
    for (String directory : List.of("", "journal", "log", "log/0", "rings")) {
      for (String entry : storage.list(directory)) {
        String name = directory.isEmpty() ? entry : directory + "/" + entry;
        if (!List.of("journal", "log", "log/0", "rings").contains(name)
            && !name.startsWith("store.lock")
            && !name.startsWith("store.owner")) {
          files.add(name);
        }
      }
    }
    return files;
  }

  /** Makes one store of each kind; rings lie in the store's directory. */
  static Map<Base, Left> make() {
    SimulatedDisk disk = SimulatedDisk.builder(3).volatileBytes(0).build();
    List<List<Long>> earlier = new ArrayList<>();
    List<Map<String, byte[]>> oldFiles = new ArrayList<>();
    long next = 1;
    // Lives that end in every way, so that there are old files of every kind.
    for (int life = 0; life < 5; life++) {
      Store store = open(disk);
      next = put(store, next, 5, Durability.SYNC);
      if (life % 2 == 0) {
        store.admin().checkpoint();
        next = put(store, next, 3, Durability.SYNC);
      }
      earlier.add(words(store));
      if (life < 3) {
        store.close();
      }
      SimulatedDisk ended = disk.fork();
      ended.kill();
      oldFiles.add(contents(ended));
      if (life >= 3) {
        disk.kill();
      }
    }
    Map<Base, Left> bases = new EnumMap<>(Base.class);
    // Nothing is forced but for those who wait, so that rings hold what the log does not.
    Store store =
        Store.open(
            OPTIONS.withGroupCommitInterval(Duration.ofSeconds(10)).withStorage(disk.storage()));
    next = put(store, next, 4, Durability.SYNC);
    store.admin().checkpoint();
    next = put(store, next, 4, Durability.SYNC);
    List<Long> durable = words(store);
    SimulatedDisk journaled = disk.fork();
    put(store, next, 3, Durability.ASYNC);
    SimulatedDisk killed = disk.fork();
    killed.kill();
    List<Long> all = words(store);
    bases.put(Base.KILLED, new Left(Base.KILLED, killed, all, durable, earlier, oldFiles));
    SimulatedDisk bare = killed.fork();
    bare.storage().list("rings").forEach(ring -> bare.remove("rings/" + ring));
    bare.kill();
    bases.put(
        Base.KILLED_WITHOUT_RINGS,
        new Left(Base.KILLED_WITHOUT_RINGS, bare, all, durable, earlier, oldFiles));
    store.close();
    disk.kill();
    bases.put(Base.CLOSED, new Left(Base.CLOSED, disk, all, all, earlier, oldFiles));
    journaled.kill();
    bases.put(Base.JOURNALED, journaled(journaled, durable, earlier, oldFiles));
    return bases;
  }

  /** Kills a store within the fold of a checkpoint. */
  private static Left journaled(
      SimulatedDisk start,
      List<Long> words,
      List<List<Long>> earlier,
      List<Map<String, byte[]>> oldFiles) {
    for (int operation = 1; ; operation++) {
      SimulatedDisk disk = start.fork();
      Store store = open(disk);
      List<Long> expected = words;
      try {
        put(store, 1000, 12, Durability.SYNC);
        expected = words(store);
        disk.crashAtOperation(disk.operations() + operation, CrashMoment.AFTER);
        store.admin().checkpoint();
      } catch (RuntimeException | SimulatedCrash e) {
        // The process has died.
      }
      disk.kill();
      CheckpointState.Phase phase;
      try (SuperblockFile file = SuperblockFile.open(disk.storage())) {
        phase = file.current().checkpoint().phase();
      }
      if (phase == CheckpointState.Phase.JOURNALED) {
        disk.kill();
        List<List<Long>> states = new ArrayList<>(earlier);
        states.add(words);
        return new Left(Base.JOURNALED, disk, expected, expected, states, oldFiles);
      }
    }
  }

  static Store open(SimulatedDisk disk) {
    return Store.open(OPTIONS.withStorage(disk.storage()));
  }

  /** Writes ascending numbers to the words in turn, one a commit; returns the next number. */
  static long put(Store store, long first, int count, Durability durability) {
    long next = first;
    for (int i = 0; i < count; i++) {
      long value = next++;
      store.run(
          TxOptions.of(durability),
          tx -> {
            if (tx.root(0) == 0) {
              tx.root(0, tx.allocate((long) WORDS * PAGE));
            }
            tx.putLong(tx.root(0) + value % WORDS * PAGE, value);
          });
    }
    return next;
  }

  static List<Long> words(Store store) {
    return store.read(
        tx -> {
          List<Long> words = new ArrayList<>();
          for (int i = 0; i < WORDS && tx.root(0) != 0; i++) {
            words.add(tx.getLong(tx.root(0) + (long) i * PAGE));
          }
          return words;
        });
  }

  private static Map<String, byte[]> contents(SimulatedDisk disk) {
    Map<String, byte[]> contents = new TreeMap<>();
    files(disk.storage()).forEach(name -> contents.put(name, disk.contents(name)));
    return contents;
  }

  // ---- Damage.

  /** Does something to a store, drawn from a seed; returns what. */
  static String damage(Left left, SimulatedDisk disk, long seed) {
    SplittableRandom random = new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L);
    List<String> files = left.files();
    // Kinds first: most files are segments.
    List<String> kinds =
        List.of("store.howdah", "image", "image.sums", "journal/", "log/", "rings/");
    String kind = kinds.get(random.nextInt(kinds.size()));
    List<String> some =
        files.stream()
            .filter(f -> kind.endsWith("/") ? f.startsWith(kind) : f.equals(kind))
            .toList();
    String name = some.isEmpty() ? "image" : some.get(random.nextInt(some.size()));
    byte[] bytes = disk.contents(name);
    // Beyond what was ever written nobody looks.
    int used = name.equals("image") ? Math.min(bytes.length, (WORDS + 4) * PAGE) : bytes.length;
    if (name.equals("image.sums")) {
      used = Math.min(used, PAGE + (WORDS + 4) * 4);
    }
    if (used == 0) {
      disk.remove(name);
      return name + " missing";
    }
    return switch (random.nextInt(8)) {
      case 0, 1 -> {
        int at = random.nextInt(used);
        disk.flipBit(name, at, random.nextInt(8));
        yield name + " bit flipped at " + at;
      }
      case 2 -> {
        int unit = random.nextBoolean() ? 512 : PAGE;
        int at = random.nextInt(used) / unit * unit;
        Arrays.fill(bytes, at, Math.min(at + unit, bytes.length), (byte) 0);
        write(disk, name, bytes);
        yield name + " " + unit + " zeroed at " + at;
      }
      case 3 -> {
        int unit = random.nextBoolean() ? 512 : PAGE;
        int units = used / unit;
        if (units > 1) {
          int a = random.nextInt(units) * unit;
          int b = random.nextInt(units) * unit;
          byte[] first = Arrays.copyOfRange(bytes, a, a + unit);
          System.arraycopy(bytes, b, bytes, a, unit);
          System.arraycopy(first, 0, bytes, b, unit);
          write(disk, name, bytes);
          yield name + " " + unit + " swapped at " + a + " and " + b;
        }
        disk.remove(name);
        yield name + " missing";
      }
      case 4 -> {
        int length = random.nextInt(used);
        disk.truncate(name, length);
        yield name + " truncated to " + length;
      }
      case 5 -> {
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(3 * PAGE));
        if (random.nextBoolean()) {
          Arrays.fill(longer, bytes.length, longer.length, (byte) 0xA5);
        }
        write(disk, name, longer);
        yield name + " extended";
      }
      case 6 -> {
        Map<String, byte[]> old = left.oldFiles().get(random.nextInt(left.oldFiles().size()));
        byte[] former = old.get(name);
        if (former == null) {
          disk.remove(name);
          yield name + " missing";
        }
        write(disk, name, former);
        byte[] sums = old.get("image.sums");
        if (name.equals("image") && sums != null && random.nextBoolean()) {
          write(disk, "image.sums", sums);
          yield "image and image.sums of an earlier life put back";
        }
        yield name + " of an earlier life put back";
      }
      default -> {
        disk.remove(name);
        yield name + " missing";
      }
    };
  }

  /** Replaces what a file holds. */
  static void write(SimulatedDisk disk, String name, byte[] bytes) {
    try (Storage storage = disk.storage();
        StorageFile file = storage.open(name, Storage.Access.READ_WRITE)) {
      file.setSize(bytes.length);
      file.write(0, ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
    }
  }

  // ---- What is found then.

  /** Returns the message of a check that refuses a store, or null. */
  static @Nullable String check(SimulatedDisk disk) {
    SimulatedDisk copy = disk.fork();
    try {
      StoreBackups.check(copy.storage(), OPTIONS.execution());
      return null;
    } catch (HowdahException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /**
   * Opens a copy of a store.
   *
   * @param isImageDamaged whether words may be wrong because nobody looked at their page
   */
  static Found open(Left left, SimulatedDisk disk, Opening how, boolean isImageDamaged) {
    SimulatedDisk copy = disk.fork();
    StoreOptions options =
        switch (how) {
          case DEFAULT -> OPTIONS;
          case READ_ONLY -> OPTIONS.withReadOnly(true);
          case RESIDENT -> OPTIONS.withBacking(Backing.RESIDENT);
          case VERIFIED -> OPTIONS.withVerifyImage(true);
        };
    return shown(left, options.withStorage(copy.storage()), how, isImageDamaged);
  }

  /** Opens a store that was left, or a copy of it. */
  static Found shown(Left left, StoreOptions options, Opening how, boolean isImageDamaged) {
    List<Long> found;
    try (Store store = Store.open(options)) {
      found = words(store);
    } catch (HowdahException e) {
      return Found.TYPED;
    } catch (RuntimeException | Error e) {
      return Found.RAW;
    }
    if (found.equals(left.words())) {
      return Found.RIGHT;
    }
    if (found.isEmpty()) {
      return Found.EMPTY;
    }
    if (left.earlier().contains(found)) {
      return Found.OLDER;
    }
    if (isLessTheRings(left, found)) {
      return Found.LESS_THE_RINGS;
    }
    boolean unchecked = how == Opening.DEFAULT || how == Opening.READ_ONLY;
    return unchecked && isImageDamaged ? Found.WRONG_UNCHECKED : Found.WRONG;
  }

  /** Of each word the durable value or the last one: those were written in different pages. */
  private static boolean isLessTheRings(Left left, List<Long> found) {
    boolean lost = false;
    for (int i = 0; i < WORDS; i++) {
      boolean isLast = found.get(i).equals(left.words().get(i));
      if (!isLast && !found.get(i).equals(left.durable().get(i))) {
        return false;
      }
      lost |= !isLast;
    }
    return lost;
  }
}
