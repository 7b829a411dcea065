package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.DamagedStores.Base;
import io.howdah.DamagedStores.Found;
import io.howdah.DamagedStores.Left;
import io.howdah.DamagedStores.Opening;
import io.howdah.core.HowdahException;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.ForceNoteLayout;
import io.howdah.core.layout.ImageSumsLayout;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.layout.SuperblockLayout;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Durability;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every number in the files of a store, altered by one, to zero and to the maximum, with the
 * checksum that a program with an error would have written: each opening, the check and a restore
 * then show the right state, or a typed error. The numbers are those that the layouts declare, so
 * one that is added to a layout is altered, too.
 *
 * <p>{@code -Dhowdah.evidence=1} makes all alterations; without it, one in three in the store that
 * has every kind of file, one in {@value #STEP_OTHERWISE} in the others, and in each store all of
 * the number that says where the pages in use end.
 */
@Timeout(600)
final class EvidenceFieldsTest {

  /** No multiple of how many alterations a number has, or all numbers would get the same. */
  private static final int STEP_OTHERWISE = 23;

  private static final int STEP = Integer.getInteger("howdah.evidence", STEP_OTHERWISE);

  private static final int STEP_OF_THE_LAST = Math.min(3, STEP);
  private static final int PAGE = 4096;
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final List<Left> STORES = new ArrayList<>();

  /**
   * A number, or the same number in several copies.
   *
   * @param name with its layout
   * @param places where the copies lie
   * @param width 4 or 8 bytes
   * @param seal sets the checksums over it
   */
  private record StoredNumber(
      String name, String file, List<Integer> places, int width, Consumer<ByteBuffer> seal) {}

  @BeforeAll
  static void make() {
    if (STORES.isEmpty()) {
      DamagedStores.make().values().forEach(left -> STORES.add(asItOpens(left)));
      STORES.add(summarised());
    }
  }

  /** What only rings held is not expected of a store without them. */
  private static Left asItOpens(Left left) {
    boolean hasAll = left.base() != Base.KILLED_WITHOUT_RINGS;
    List<Long> words = hasAll ? left.words() : left.durable();
    return new Left(
        left.base(), left.disk(), words, left.durable(), left.earlier(), left.oldFiles());
  }

  /** Makes a store with a log of several segments, whose newest summary is behind the first. */
  private static Left summarised() {
    SimulatedDisk disk = SimulatedDisk.builder(9).volatileBytes(0).build();
    Store store = DamagedStores.open(disk);
    long next = DamagedStores.put(store, 1, 20, Durability.SYNC);
    store.admin().checkpoint();
    while (segments(disk).size() < 4) {
      next = DamagedStores.put(store, next, 1, Durability.SYNC);
    }
    long begun = System.nanoTime();
    while (!isSummarised(disk)) {
      assertThat(System.nanoTime() - begun).isLessThan(DEADLINE_NANOS);
      Thread.onSpinWait();
    }
    DamagedStores.put(store, next, 3, Durability.SYNC);
    List<Long> words = DamagedStores.words(store);
    SimulatedDisk killed = disk.fork();
    killed.kill();
    killed.storage().list("rings").forEach(ring -> killed.remove("rings/" + ring));
    store.close();
    return new Left(Base.KILLED_WITHOUT_RINGS, killed, words, words, List.of(), List.of());
  }

  private static boolean isSummarised(SimulatedDisk disk) {
    long newest = disk.storage().exists("log/summary-0") ? summary(disk, "log/summary-0") : 0;
    if (disk.storage().exists("log/summary-1")) {
      newest = Math.max(newest, summary(disk, "log/summary-1"));
    }
    return newest
        >= contents(disk, segments(disk).getLast()).getLong(SegmentLayout.SEQUENCE_OFFSET);
  }

  private static long summary(SimulatedDisk disk, String name) {
    ByteBuffer bytes = contents(disk, name);
    return bytes.capacity() < LogSummaryLayout.MAP_OFFSET
        ? 0
        : bytes.getLong(LogSummaryLayout.SEGMENT_OFFSET);
  }

  private static ByteBuffer contents(SimulatedDisk disk, String name) {
    return ByteBuffer.wrap(disk.contents(name)).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the segments that hold a batch, oldest first. */
  private static List<String> segments(SimulatedDisk disk) {
    TreeMap<Long, String> found = new TreeMap<>();
    for (String name : DamagedStores.files(disk.storage())) {
      if (name.startsWith("log/0/") && name.endsWith(".seg")) {
        ByteBuffer bytes = contents(disk, name);
        if (bytes.capacity() > SegmentLayout.HEADER_LENGTH
            && bytes.getLong(SegmentLayout.HEADER_LENGTH) == BatchLayout.MAGIC) {
          found.put(bytes.getLong(SegmentLayout.SEQUENCE_OFFSET), name);
        }
      }
    }
    return List.copyOf(found.values());
  }

  // ---- The numbers.

  /**
   * Returns the numbers that a layout declares.
   *
   * @param bases where copies of the layout begin in the file
   * @param end of the last one, in the layout
   */
  private static List<StoredNumber> numbers(
      Class<?> layout,
      Predicate<String> which,
      String file,
      List<Integer> bases,
      int end,
      Consumer<ByteBuffer> seal) {
    TreeMap<Integer, String> offsets = new TreeMap<>();
    try {
      for (Field field : layout.getDeclaredFields()) {
        boolean isOffset =
            Modifier.isStatic(field.getModifiers())
                && (field.getName().endsWith("_OFFSET") || field.getName().endsWith("_ADDRESS"));
        if (isOffset && which.test(field.getName()) && field.getInt(null) < end) {
          offsets.put(field.getInt(null), field.getName());
        }
      }
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
    List<StoredNumber> numbers = new ArrayList<>();
    offsets.forEach(
        (offset, name) -> {
          Integer next = offsets.higherKey(offset);
          int width = Math.min(Long.BYTES, (next == null ? end : next) - offset);
          if ((!name.equals("CRC_OFFSET") && !name.endsWith("_CRC_OFFSET"))
              || name.equals("LAST_BATCH_CRC_OFFSET")
              || name.equals("SLOT_BATCH_CRC_OFFSET")
              || name.equals("PREVIOUS_CRC_OFFSET")
              || name.equals("JOURNAL_CRC_OFFSET")) {
            numbers.add(
                new StoredNumber(
                    layout.getSimpleName() + "." + name,
                    file,
                    bases.stream().map(base -> base + offset).toList(),
                    width,
                    seal));
          }
        });
    assertThat(numbers).as("%s", layout).isNotEmpty();
    return numbers;
  }

  private static List<StoredNumber> numbers(Left left) {
    SimulatedDisk disk = left.disk();
    List<StoredNumber> numbers = new ArrayList<>(ofTheSuperblock(disk));
    Set<String> files = new TreeSet<>(left.files());
    Consumer<ByteBuffer> headOfTheNote =
        bytes ->
            bytes.putInt(
                ForceNoteLayout.CRC_OFFSET,
                Crc32c.around(bytes, ForceNoteLayout.CRC_OFFSET, ForceNoteLayout.HEADER_LENGTH));
    if (files.contains("log/forced")) {
      numbers.addAll(
          numbers(
              ForceNoteLayout.class,
              name -> !name.contains("SLOT"),
              "log/forced",
              List.of(0),
              ForceNoteLayout.HEADER_LENGTH,
              headOfTheNote));
      for (int slot : List.of(ForceNoteLayout.EVEN_SLOT_OFFSET, ForceNoteLayout.ODD_SLOT_OFFSET)) {
        numbers.addAll(
            numbers(
                ForceNoteLayout.class,
                name -> name.startsWith("SLOT_"),
                "log/forced",
                List.of(slot),
                ForceNoteLayout.SLOT_LENGTH,
                bytes ->
                    bytes.putInt(
                        slot + ForceNoteLayout.SLOT_CRC_OFFSET,
                        Crc32c.of(bytes, slot, slot + ForceNoteLayout.SLOT_CRC_OFFSET))));
      }
    }
    for (String name : List.of("log/summary-0", "log/summary-1")) {
      if (files.contains(name) && contents(disk, name).capacity() >= LogSummaryLayout.MAP_OFFSET) {
        numbers.addAll(
            numbers(
                LogSummaryLayout.class,
                _ -> true,
                name,
                List.of(0),
                LogSummaryLayout.REGION_HEADER_OFFSET,
                EvidenceFieldsTest::sealSummary));
      }
    }
    numbers.addAll(ofTheLog(disk));
    numbers.addAll(ofTheImage(disk));
    for (String name : files) {
      if (name.startsWith("rings/")) {
        numbers.addAll(ofARing(name));
      } else if (name.startsWith("journal/") && contents(disk, name).capacity() > PAGE) {
        numbers.addAll(ofAJournal(name));
      }
    }
    return numbers;
  }

  private static void sealSummary(ByteBuffer bytes) {
    long length = LogSummaryLayout.length(bytes.getLong(LogSummaryLayout.MAP_WORDS_OFFSET));
    int end = Math.clamp(length, LogSummaryLayout.MAP_OFFSET, bytes.capacity());
    bytes.putInt(
        LogSummaryLayout.CRC_OFFSET, Crc32c.around(bytes, LogSummaryLayout.CRC_OFFSET, end));
  }

  private static List<StoredNumber> ofTheSuperblock(SimulatedDisk disk) {
    String file = "store.howdah";
    ByteBuffer bytes = contents(disk, file);
    List<Integer> slots = List.of(0, SuperblockLayout.SLOT_LENGTH);
    Consumer<ByteBuffer> seal =
        altered ->
            slots.forEach(
                slot ->
                    altered.putInt(
                        slot + SuperblockLayout.CRC_OFFSET,
                        Crc32c.around(
                            altered,
                            slot,
                            SuperblockLayout.CRC_OFFSET,
                            SuperblockLayout.SLOT_LENGTH)));
    List<StoredNumber> numbers = new ArrayList<>();
    numbers.addAll(
        numbers(
            SuperblockLayout.class,
            name -> !name.startsWith("SET_") && !isOfAClosedGeneration(name),
            file,
            slots,
            SuperblockLayout.PLACE_OFFSET,
            seal));
    List<Integer> sets = slots.stream().map(slot -> slot + SuperblockLayout.HEADER_LENGTH).toList();
    numbers.addAll(
        numbers(
            SuperblockLayout.class,
            name -> name.startsWith("SET_"),
            file,
            sets,
            SuperblockLayout.SET_LENGTH,
            seal));
    int closed = bytes.getInt(SuperblockLayout.CLOSED_COUNT_OFFSET);
    int length = SuperblockLayout.closedLength(bytes.getInt(SuperblockLayout.PARTITIONS_OFFSET));
    for (int i = 0; i < closed; i++) {
      int at = SuperblockLayout.SET_LENGTH + i * length;
      numbers.addAll(
          numbers(
              SuperblockLayout.class,
              EvidenceFieldsTest::isOfAClosedGeneration,
              file,
              sets.stream().map(set -> set + at).toList(),
              SuperblockLayout.CLOSED_SURVIVOR_ENDS_OFFSET + Long.BYTES,
              seal));
    }
    return numbers;
  }

  private static boolean isOfAClosedGeneration(String name) {
    return name.startsWith("CLOSED_") && !name.equals("CLOSED_COUNT_OFFSET");
  }

  /** Segments, and of each the first batch and the last one. */
  private static List<StoredNumber> ofTheLog(SimulatedDisk disk) {
    List<StoredNumber> numbers = new ArrayList<>();
    for (String name : segments(disk)) {
      numbers.addAll(
          numbers(
              SegmentLayout.class,
              _ -> true,
              name,
              List.of(0),
              SegmentLayout.CRC_OFFSET,
              bytes ->
                  bytes.putInt(
                      SegmentLayout.CRC_OFFSET, Crc32c.of(bytes, 0, SegmentLayout.CRC_OFFSET))));
      ByteBuffer bytes = contents(disk, name);
      List<Integer> batches = new ArrayList<>();
      int at = SegmentLayout.HEADER_LENGTH;
      while (at < bytes.capacity() && bytes.getLong(at) == BatchLayout.MAGIC) {
        batches.add(at);
        at +=
            (int) Alignment.up(bytes.getInt(at + BatchLayout.LENGTH_OFFSET), BatchLayout.ALIGNMENT);
      }
      for (int batch : new TreeSet<>(List.of(batches.getFirst(), batches.getLast()))) {
        Consumer<ByteBuffer> seal = altered -> sealBatch(altered, batch);
        numbers.addAll(
            numbers(
                BatchLayout.class,
                field -> !field.startsWith("SECTION_") || field.equals("SECTION_COUNT_OFFSET"),
                name,
                List.of(batch),
                BatchLayout.CRC_OFFSET,
                seal));
        numbers.addAll(
            numbers(
                BatchLayout.class,
                field -> field.startsWith("SECTION_") && !field.equals("SECTION_COUNT_OFFSET"),
                name,
                List.of(batch + BatchLayout.HEADER_LENGTH),
                BatchLayout.SECTION_HEADER_LENGTH,
                seal));
      }
    }
    return numbers;
  }

  private static void sealBatch(ByteBuffer bytes, int batch) {
    int length =
        Math.clamp(
            bytes.getInt(batch + BatchLayout.LENGTH_OFFSET),
            BatchLayout.HEADER_LENGTH,
            bytes.capacity() - batch);
    bytes.putInt(
        batch + BatchLayout.CRC_OFFSET,
        Crc32c.around(bytes, batch, BatchLayout.CRC_OFFSET, length));
  }

  private static List<StoredNumber> ofTheImage(SimulatedDisk disk) {
    List<StoredNumber> numbers = new ArrayList<>();
    if (!disk.storage().exists("image.sums") || contents(disk, "image").capacity() < PAGE) {
      return numbers;
    }
    numbers.addAll(
        numbers(
            ImageSumsLayout.class,
            _ -> true,
            "image.sums",
            List.of(0),
            ImageSumsLayout.CRC_OFFSET,
            bytes ->
                bytes.putInt(
                    ImageSumsLayout.CRC_OFFSET,
                    Crc32c.around(bytes, ImageSumsLayout.CRC_OFFSET, PAGE))));
    for (int page = 0; page < 4; page++) {
      numbers.add(
          new StoredNumber(
              "sum of page " + page,
              "image.sums",
              List.of((int) ImageSumsLayout.offset(page)),
              ImageSumsLayout.SUM_LENGTH,
              _ -> {}));
    }
    numbers.addAll(
        numbers(
            RegionHeaderLayout.class,
            _ -> true,
            "image",
            List.of(0),
            RegionHeaderLayout.ROOTS_ADDRESS,
            _ -> {}));
    return numbers;
  }

  private static List<StoredNumber> ofARing(String name) {
    List<StoredNumber> numbers = new ArrayList<>();
    numbers.addAll(
        numbers(
            RingLayout.class,
            _ -> true,
            name,
            List.of(0),
            RingLayout.CRC_OFFSET,
            bytes ->
                bytes.putInt(RingLayout.CRC_OFFSET, Crc32c.of(bytes, 0, RingLayout.CRC_OFFSET))));
    for (int word :
        List.of(RingLayout.INFLIGHT_OFFSET, RingLayout.TAIL_OFFSET, RingLayout.FORCED_OFFSET)) {
      numbers.add(new StoredNumber("RingLayout word " + word, name, List.of(word), 8, _ -> {}));
    }
    return numbers;
  }

  private static List<StoredNumber> ofAJournal(String name) {
    List<StoredNumber> numbers = new ArrayList<>();
    numbers.addAll(
        numbers(
            JournalLayout.class,
            field ->
                !field.startsWith("GROUP_")
                    && !field.startsWith("ENTRY_")
                    && !field.startsWith("WITNESS_P")
                    && !field.startsWith("WITNESS_R"),
            name,
            List.of(0),
            JournalLayout.WITNESSES_OFFSET,
            bytes ->
                bytes.putInt(
                    JournalLayout.CRC_OFFSET,
                    Crc32c.around(bytes, JournalLayout.CRC_OFFSET, JournalLayout.HEADER_LENGTH))));
    numbers.addAll(
        numbers(
            JournalLayout.class,
            field -> field.startsWith("GROUP_"),
            name,
            List.of(JournalLayout.HEADER_LENGTH),
            JournalLayout.GROUP_CRC_OFFSET,
            EvidenceFieldsTest::sealGroup));
    return numbers;
  }

  private static void sealGroup(ByteBuffer bytes) {
    int at = JournalLayout.HEADER_LENGTH;
    long length =
        JournalLayout.GROUP_HEADER_LENGTH
            + (long) bytes.getInt(at + JournalLayout.GROUP_DATA_LENGTH_OFFSET)
            + (long) bytes.getInt(at + JournalLayout.GROUP_COUNT_OFFSET)
                * JournalLayout.ENTRY_LENGTH;
    int end = Math.clamp(length, JournalLayout.GROUP_HEADER_LENGTH, bytes.capacity() - at);
    bytes.putInt(
        at + JournalLayout.GROUP_CRC_OFFSET,
        Crc32c.around(bytes, at, JournalLayout.GROUP_CRC_OFFSET, end));
  }

  // ---- The alterations.

  private static Map<String, Long> values(ByteBuffer bytes, StoredNumber number) {
    int at = number.places().getFirst();
    boolean isLong = number.width() == Long.BYTES;
    long value = isLong ? bytes.getLong(at) : bytes.getInt(at);
    Map<String, Long> values = new TreeMap<>();
    values.put("+1", value + 1);
    values.put("-1", value - 1);
    values.put("to 0", 0L);
    values.put("to the maximum", isLong ? Long.MAX_VALUE : Integer.MAX_VALUE);
    if (isTop(number)) {
      values.put("to a page far beyond the region", 1L << 40);
    }
    values.values().removeIf(each -> each == value);
    return values;
  }

  @SuppressWarnings("ByteBufferBackingArray") // contents() wraps an array
  private static SimulatedDisk altered(Left left, StoredNumber number, String how, long value) {
    SimulatedDisk disk = left.disk().fork();
    ByteBuffer bytes = contents(disk, number.file());
    for (int at : number.places()) {
      if (number.width() == Long.BYTES) {
        long former = bytes.getLong(at);
        bytes.putLong(at, how.equals("+1") ? former + 1 : how.equals("-1") ? former - 1 : value);
      } else {
        int former = bytes.getInt(at);
        bytes.putInt(
            at, how.equals("+1") ? former + 1 : how.equals("-1") ? former - 1 : (int) value);
      }
    }
    number.seal().accept(bytes);
    DamagedStores.write(disk, number.file(), bytes.array());
    if (number.file().equals("image")) {
      ByteBuffer sums = contents(disk, "image.sums");
      int sum = Crc32c.of(bytes, 0, PAGE) ^ Crc32c.of(ByteBuffer.allocate(PAGE), 0, PAGE);
      sums.putInt((int) ImageSumsLayout.offset(0), sum);
      DamagedStores.write(disk, "image.sums", sums.array());
    }
    return disk;
  }

  /** Restores a copy into another disk and opens that. */
  private static Found restored(Left left, SimulatedDisk disk) {
    SimulatedDisk source = disk.fork();
    SimulatedDisk target = SimulatedDisk.builder(2).volatileBytes(1 << 26).build();
    StoreOptions options = DamagedStores.OPTIONS.withStorage(target.storage());
    try {
      StoreBackups.restore(
          source.storage(), target.storage(), OptionalLong.empty(), options.execution());
    } catch (HowdahException e) {
      return Found.TYPED;
    } catch (RuntimeException | Error e) {
      return Found.RAW;
    }
    return DamagedStores.shown(left, options, Opening.VERIFIED, false);
  }

  /** Rings that contradict the superblock are not used, as after a power cut. */
  private static boolean isOfRings(StoredNumber number) {
    return number.file().startsWith("rings/")
        || number.name().endsWith(".RING_NONCE_OFFSET")
        || number.name().endsWith(".PARTITIONS_OFFSET");
  }

  private static boolean isTop(StoredNumber number) {
    return number.name().endsWith(".TOP_ADDRESS");
  }

  private static boolean isFine(Found found, StoredNumber number) {
    return found == Found.RIGHT
        || found == Found.TYPED
        || (found == Found.LESS_THE_RINGS && isOfRings(number));
  }

  @Test
  void aNumberThatIsWrongIsToldOrDoesNotMatter() {
    List<String> wrong = new ArrayList<>();
    int count = 0;
    int skipped = 0;
    int told = 0;
    for (Left left : STORES) {
      for (StoredNumber number : numbers(left)) {
        ByteBuffer bytes = contents(left.disk(), number.file());
        int step = isTop(number) ? 1 : left.equals(STORES.getLast()) ? STEP_OF_THE_LAST : STEP;
        for (Map.Entry<String, Long> each : values(bytes, number).entrySet()) {
          if (skipped++ % step != 0) {
            continue;
          }
          count++;
          String what =
              left.base()
                  + " "
                  + number.file()
                  + " "
                  + number.name()
                  + number.places()
                  + " "
                  + each.getKey();
          SimulatedDisk disk = altered(left, number, each.getKey(), each.getValue());
          Map<String, Found> found = new TreeMap<>();
          for (Opening how : Opening.values()) {
            found.put("" + how, DamagedStores.open(left, disk, how, false));
          }
          found.put("RESTORED", restored(left, disk));
          String refusal;
          try {
            refusal = DamagedStores.check(disk);
          } catch (RuntimeException | Error e) {
            refusal = "RAW " + e;
          }
          told += refusal == null ? 0 : 1;
          // Nothing else tells how far the pages in use go, if the log behind it does not.
          boolean mustBeTold = left.equals(STORES.getLast()) && isTop(number);
          boolean isFine =
              (!mustBeTold || found.values().stream().allMatch(one -> one == Found.TYPED))
                  && found.values().stream().allMatch(one -> isFine(one, number))
                  && (refusal == null || !refusal.startsWith("RAW "))
                  && (refusal != null) == (found.get("VERIFIED") == Found.TYPED);
          if (!isFine) {
            wrong.add(what + ": " + found + ", check: " + refusal);
          }
        }
      }
    }
    assertThat(wrong).as("of %d, of which %d are refused", count, told).isEmpty();
    assertThat(told).isGreaterThan(count / 4);
  }
}
