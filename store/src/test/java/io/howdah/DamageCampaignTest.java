package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Backing;
import io.howdah.core.HowdahException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A store with a log of many segments, a checkpoint and summaries, closed, killed, or killed and
 * without its rings. Whole files or their ends are removed, truncated, zeroed, swapped with others
 * or put back from an earlier life: one file, a few, or the newest segments of the log. Each
 * opening and a check then shows a state that holds every commit acknowledged as durable, or a
 * typed error.
 *
 * <p>Nothing is lost in silence, also without rings: the force note names the last batch that was
 * forced. {@code -Dhowdah.damages=2000} tries as many damages.
 */
class DamageCampaignTest {

  private static final int DAMAGES = Integer.getInteger("howdah.damages", 90);
  private static final int SLOTS = 40;
  private static final int PAGE = 4096;
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final List<String> DIRECTORIES = List.of("", "log", "journal", "log/0", "rings");

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 18)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withGroupCommitInterval(Duration.ofSeconds(10))
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  private enum Base {
    CLOSED,
    KILLED,
    KILLED_WITHOUT_RINGS
  }

  private enum Way {
    DEFAULT,
    READ_ONLY,
    RESIDENT,
    VERIFIED
  }

  private enum Found {
    /** All commits acknowledged as durable, and perhaps later ones. */
    RIGHT,
    TYPED,
    /** Wrong words in pages of the image that a mapped opening does not compare; check finds it. */
    WRONG_UNCHECKED,
    LOST,
    EMPTY,
    WRONG,
    RAW
  }

  private static final Map<Base, SimulatedDisk> STORES = new EnumMap<>(Base.class);
  private static final List<Map<String, byte[]>> OLD_FILES = new ArrayList<>();
  private static final List<Long> LSNS = new ArrayList<>(List.of(0L)); // by value
  private static long durable;

  // ---- The stores.

  private static void put(Store store, int count, TxOptions how) {
    for (int i = 0; i < count; i++) {
      long value = LSNS.size();
      LSNS.add(
          store.run(
              how,
              tx -> {
                if (tx.root(0) == 0) {
                  tx.root(0, tx.allocate((long) SLOTS * PAGE));
                }
                tx.putLong(tx.root(0) + 8, value);
                tx.putLong(tx.root(0) + value % SLOTS * PAGE + 16, value);
              }));
    }
  }

  private static void remember(SimulatedDisk disk) {
    SimulatedDisk ended = disk.fork();
    ended.kill();
    Map<String, byte[]> contents = new TreeMap<>();
    files(ended).forEach(name -> contents.put(name, ended.contents(name)));
    OLD_FILES.add(contents);
  }

  @BeforeAll
  static void make() {
    if (!STORES.isEmpty()) {
      return;
    }
    SimulatedDisk disk = SimulatedDisk.builder(5).volatileBytes(0).build();
    try (Store store = open(disk, OPTIONS)) {
      put(store, 30, TxOptions.sync());
      remember(disk);
    }
    remember(disk);
    Store second = open(disk, OPTIONS);
    put(second, 30, TxOptions.sync());
    second.admin().checkpoint();
    put(second, 20, TxOptions.sync());
    remember(disk);
    disk.kill();
    Store store = open(disk, OPTIONS);
    put(store, 60, TxOptions.sync());
    store.admin().checkpoint();
    remember(disk);
    while (segments(disk).size() < 9) {
      put(store, 1, TxOptions.sync());
      if (LSNS.size() % 40 == 0) {
        remember(disk);
      }
    }
    long begun = System.nanoTime();
    while (witnessed(disk) < LSNS.size() - 1) {
      // Until a summary of the newest segment is written; each commit may begin a segment.
      assertThat(System.nanoTime() - begun).isLessThan(DEADLINE_NANOS);
      Thread.onSpinWait();
    }
    put(store, 3, TxOptions.sync());
    durable = LSNS.size() - 1L;
    put(store, 3, TxOptions.async());
    SimulatedDisk killed = disk.fork();
    killed.kill();
    STORES.put(Base.KILLED, killed);
    SimulatedDisk bare = killed.fork();
    bare.storage().list("rings").forEach(ring -> bare.remove("rings/" + ring));
    STORES.put(Base.KILLED_WITHOUT_RINGS, bare);
    store.close();
    disk.kill();
    STORES.put(Base.CLOSED, disk);
  }

  private static Store open(SimulatedDisk disk, StoreOptions options) {
    return Store.open(options.withStorage(disk.storage()));
  }

  private static List<String> files(SimulatedDisk disk) {
    Storage storage = disk.storage();
    List<String> files = new ArrayList<>();
    for (String directory : DIRECTORIES) {
      for (String entry : storage.list(directory)) {
        String name = directory.isEmpty() ? entry : directory + "/" + entry;
        if (!DIRECTORIES.contains(name) && !name.startsWith("store.lock") && !isOwner(name)) {
          files.add(name);
        }
      }
    }
    return files;
  }

  private static boolean isOwner(String name) {
    return name.startsWith("store.owner");
  }

  private static ByteBuffer words(SimulatedDisk disk, String file) {
    return ByteBuffer.wrap(disk.contents(file)).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the segments that hold a batch, oldest first. */
  private static List<String> segments(SimulatedDisk disk) {
    TreeMap<Long, String> found = new TreeMap<>();
    for (String name : files(disk)) {
      if (name.startsWith("log/0/") && name.endsWith(".seg")) {
        ByteBuffer words = words(disk, name);
        if (words.capacity() > SegmentLayout.HEADER_LENGTH
            && words.getLong(SegmentLayout.HEADER_LENGTH) != 0) {
          found.put(words.getLong(SegmentLayout.SEQUENCE_OFFSET), name);
        }
      }
    }
    return List.copyOf(found.values());
  }

  /** Returns the newest value that a whole summary names as durable. */
  private static long witnessed(SimulatedDisk disk) {
    long value = 0;
    for (int i = 0; i < 2; i++) {
      String name = "log/summary-" + i;
      if (disk.storage().exists(name)) {
        ByteBuffer bytes = words(disk, name);
        if (isWhole(bytes)) {
          long lsn = bytes.getLong(LogSummaryLayout.IMAGE_LSN_OFFSET);
          for (int v = 0; v < LSNS.size(); v++) {
            if (LSNS.get(v) <= lsn) {
              value = Math.max(value, v);
            }
          }
        }
      }
    }
    return value;
  }

  private static boolean isWhole(ByteBuffer bytes) {
    if (bytes.capacity() < LogSummaryLayout.MAP_OFFSET) {
      return false;
    }
    long length = LogSummaryLayout.length(bytes.getLong(LogSummaryLayout.MAP_WORDS_OFFSET));
    return length > 0
        && length <= bytes.capacity()
        && bytes.getInt(LogSummaryLayout.CRC_OFFSET)
            == Crc32c.around(bytes, LogSummaryLayout.CRC_OFFSET, (int) length);
  }

  // ---- The damage.

  private static List<String> chosen(SimulatedDisk disk, SplittableRandom random) {
    List<String> files = files(disk);
    List<String> used = segments(disk);
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        // Kinds first: most files are segments.
        List<String> kinds =
            List.of(
                "store.howdah",
                "image",
                "image.sums",
                "journal/",
                "log/summary",
                "log/forced",
                "rings/");
        String kind = kinds.get(random.nextInt(kinds.size()));
        List<String> some = files.stream().filter(f -> f.startsWith(kind)).toList();
        yield some.isEmpty() ? List.of("image") : List.of(some.get(random.nextInt(some.size())));
      }
      case 3, 4 -> List.of(files.get(random.nextInt(files.size())));
      case 5 -> {
        List<String> some = new ArrayList<>();
        for (String file : files) {
          if (random.nextInt(files.size()) < 2) {
            some.add(file);
          }
        }
        yield some.isEmpty() ? List.of(files.getFirst()) : some;
      }
      default -> {
        int last = Math.min(used.size(), 1 + random.nextInt(5));
        yield used.isEmpty() ? List.of("image") : used.subList(used.size() - last, used.size());
      }
    };
  }

  private static String damage(SimulatedDisk disk, SplittableRandom random) {
    List<String> files = chosen(disk, random);
    int what = random.nextInt(5);
    List<String> all = files(disk);
    StringBuilder said = new StringBuilder();
    for (String name : files) {
      byte[] bytes = disk.contents(name);
      switch (what) {
        case 0 -> {
          disk.remove(name);
          said.append(name).append(" removed ");
        }
        case 1 -> {
          int length = random.nextBoolean() ? 0 : random.nextInt(bytes.length + 1);
          disk.truncate(name, length);
          said.append(name).append(" truncated to ").append(length).append(' ');
        }
        case 2 -> {
          int from = random.nextInt(3) == 0 ? 0 : random.nextInt(bytes.length + 1) / PAGE * PAGE;
          Arrays.fill(bytes, Math.min(from, bytes.length), bytes.length, (byte) 0);
          DamagedStores.write(disk, name, bytes);
          said.append(name).append(" zeroed from ").append(from).append(' ');
        }
        case 3 -> {
          List<String> kind = all.stream().filter(f -> isOfKind(f, name)).toList();
          String other = kind.get(random.nextInt(kind.size()));
          if (disk.storage().exists(other)) {
            byte[] others = disk.contents(other);
            DamagedStores.write(disk, other, bytes);
            DamagedStores.write(disk, name, others);
            said.append(name).append(" swapped with ").append(other).append(' ');
          }
        }
        default -> {
          byte[] old = OLD_FILES.get(random.nextInt(OLD_FILES.size())).get(name);
          if (old == null) {
            disk.remove(name);
          } else {
            DamagedStores.write(disk, name, old);
          }
          said.append(name).append(old == null ? " removed " : " of an earlier life put back ");
        }
      }
    }
    return said.toString();
  }

  private static boolean isOfKind(String file, String other) {
    int slash = other.lastIndexOf('/');
    return file.lastIndexOf('/') == slash && file.startsWith(other.substring(0, slash + 1));
  }

  // ---- What is found.

  /** Returns what each slot holds once the first commits have happened; all zero of none. */
  private static List<Long> expected(long commits) {
    List<Long> slots = new ArrayList<>(List.of(commits));
    for (int slot = 0; slot < SLOTS; slot++) {
      long newest = commits - Math.floorMod(commits - slot, SLOTS);
      slots.add(Math.max(newest, 0));
    }
    return slots;
  }

  private static List<Long> shown(Store store) {
    return store.read(
        tx -> {
          List<Long> words = new ArrayList<>();
          if (tx.root(0) != 0) {
            words.add(tx.getLong(tx.root(0) + 8));
            for (int slot = 0; slot < SLOTS; slot++) {
              words.add(tx.getLong(tx.root(0) + (long) slot * PAGE + 16));
            }
          }
          return words;
        });
  }

  private static Found found(SimulatedDisk damaged, Way way, String what, boolean isRefused) {
    SimulatedDisk copy = damaged.fork();
    StoreOptions options =
        switch (way) {
          case DEFAULT -> OPTIONS;
          case READ_ONLY -> OPTIONS.withReadOnly(true);
          case RESIDENT -> OPTIONS.withBacking(Backing.RESIDENT);
          case VERIFIED -> OPTIONS.withVerifyImage(true);
        };
    List<Long> shown;
    try (Store store = open(copy, options)) {
      shown = shown(store);
    } catch (HowdahException e) {
      return Found.TYPED;
    } catch (RuntimeException | Error e) {
      return Found.RAW;
    }
    if (shown.isEmpty()) {
      return Found.EMPTY;
    }
    long commits = shown.getFirst();
    boolean isImageDamaged = what.contains("image");
    if (commits < 0 || commits >= LSNS.size() || !shown.equals(expected(commits))) {
      boolean isUnchecked = way == Way.DEFAULT || way == Way.READ_ONLY;
      return isUnchecked && isImageDamaged && isRefused ? Found.WRONG_UNCHECKED : Found.WRONG;
    }
    if (commits >= durable) {
      return Found.RIGHT;
    }
    return Found.LOST;
  }

  private static boolean isRefused(SimulatedDisk disk) {
    try {
      StoreBackups.check(disk.fork().storage(), OPTIONS.execution());
      return false;
    } catch (HowdahException e) {
      return true;
    }
  }

  @Test
  void aDamagedStoreLosesNothingInSilence() {
    Map<Base, Map<Found, Integer>> table = new EnumMap<>(Base.class);
    List<String> wrong = new ArrayList<>();
    for (int seed = 0; seed < DAMAGES; seed++) {
      Base base = Base.values()[seed % Base.values().length];
      SimulatedDisk disk = Objects.requireNonNull(STORES.get(base)).fork();
      String what = damage(disk, new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L));
      boolean isRefused = isRefused(disk);
      for (Way way : Way.values()) {
        Found found = found(disk, way, what, isRefused);
        table.computeIfAbsent(base, _ -> new EnumMap<>(Found.class)).merge(found, 1, Integer::sum);
        boolean isFine =
            switch (found) {
              case RIGHT, TYPED, WRONG_UNCHECKED -> true;
              case LOST, EMPTY, WRONG, RAW -> false;
            };
        boolean isAgreed = way != Way.VERIFIED || isRefused == (found == Found.TYPED);
        if (!isFine || !isAgreed) {
          wrong.add(
              "seed "
                  + seed
                  + ", "
                  + base
                  + ", "
                  + way
                  + ": "
                  + what
                  + ": "
                  + found
                  + (isRefused ? ", check refuses it" : ", check accepts it"));
        }
      }
    }
    if (DAMAGES > 100) {
      table.forEach((base, counts) -> System.out.println(base + " " + counts));
    }
    assertThat(wrong).isEmpty();
  }
}
