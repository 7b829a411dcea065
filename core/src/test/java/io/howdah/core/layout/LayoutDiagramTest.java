package io.howdah.core.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Diagrams drift: what each layout draws in its Javadoc must be where its constants say. */
final class LayoutDiagramTest {

  private static final Path SOURCES = Path.of("src/main/java/io/howdah/core/layout");
  private static final Pattern ROW = Pattern.compile("^ \\*( +)(\\d+) \\|(.*)$");
  private static final Pattern NAME = Pattern.compile("[A-Za-z]+");
  private static final Pattern TERM = Pattern.compile("([A-Z_]+)(?:\\+(\\d+))?");

  /**
   * A layout and its cells, in the order of the diagram: what the cell is called, and the constant
   * that must have its offset, plus a distance where a cell has no constant of its own; a number
   * where accessors take a word apart.
   */
  record Expected(Class<?> layout, List<String> cells) {
    Expected(Class<?> layout, String... cells) {
      this(layout, List.of(cells));
    }

    @Override
    public String toString() {
      return layout.getSimpleName();
    }
  }

  static Stream<Expected> layouts() {
    return Stream.of(
        new Expected(
            BlobLayout.class,
            "magic 0",
            "incarnation 8",
            "lengths 16",
            "reserved 24",
            "size SIZE_OFFSET",
            "reserved SIZE_OFFSET+8",
            "directory DIRECTORY_OFFSET"),
        new Expected(CatalogueEntryLayout.class, "address ADDRESS_OFFSET", "type TYPE_OFFSET"),
        new Expected(
            ChangeLayout.class,
            "kind KIND_OFFSET",
            "keyLength KEY_LENGTH_OFFSET",
            "key KEY_OFFSET"),
        new Expected(ChunkDirectoryLayout.class, "chunks CHUNKS_OFFSET", "parts 0"),
        new Expected(
            CollectionHeaderLayout.class,
            "magic MAGIC_OFFSET",
            "incarnation INCARNATION_OFFSET",
            "keyLength LENGTHS_OFFSET",
            "valueLength LENGTHS_OFFSET+4"),
        new Expected(
            CounterLayout.class,
            "magic 0",
            "incarnation 8",
            "lengths 16",
            "reserved 24",
            "stripes STRIPES_OFFSET"),
        new Expected(
            EntryLayout.class,
            "keyLength KEY_LENGTH_OFFSET",
            "valueLength VALUE_LENGTH_OFFSET",
            "key KEY_OFFSET",
            "key FIXED_KEY_OFFSET",
            "keyLength KEY_LENGTH_OFFSET",
            "reserved VALUE_LENGTH_OFFSET",
            "key KEY_OFFSET",
            "length LENGTH_OFFSET",
            "bytes BYTES_OFFSET"),
        new Expected(
            ArchiveFrameLayout.class,
            "magic MAGIC_OFFSET",
            "formatVersion VERSION_OFFSET",
            "kind KIND_OFFSET",
            "storeIdHigh STORE_ID_HIGH_OFFSET",
            "storeIdLow STORE_ID_LOW_OFFSET",
            "run RUN_OFFSET",
            "nonce NONCE_OFFSET",
            "sequence SEQUENCE_OFFSET",
            "first FIRST_OFFSET",
            "second SECOND_OFFSET",
            "third THIRD_OFFSET",
            "fourth FOURTH_OFFSET",
            "length LENGTH_OFFSET",
            "storedLength STORED_LENGTH_OFFSET",
            "flags FLAGS_OFFSET",
            "payloadCrc PAYLOAD_CRC_OFFSET",
            "reserved RESERVED_OFFSET",
            "crc CRC_OFFSET",
            "stored HEADER_LENGTH"),
        new Expected(
            ForceNoteLayout.class,
            "magic MAGIC_OFFSET",
            "formatVersion VERSION_OFFSET",
            "crc CRC_OFFSET",
            "storeIdHigh STORE_ID_HIGH_OFFSET",
            "storeIdLow STORE_ID_LOW_OFFSET",
            "slot EVEN_SLOT_OFFSET",
            "slot ODD_SLOT_OFFSET",
            "generation SLOT_GENERATION_OFFSET",
            "batchSequence SLOT_SEQUENCE_OFFSET",
            "batchCrc SLOT_BATCH_CRC_OFFSET",
            "crc SLOT_CRC_OFFSET"),
        new Expected(
            HashTableLayout.class,
            "magic 0",
            "incarnation 8",
            "lengths 16",
            "segments SEGMENTS_OFFSET",
            "hashKey HASH_KEY_OFFSET",
            "stripes STRIPES_OFFSET",
            "maxBytes MAX_BYTES_OFFSET",
            "maxEntries MAX_ENTRIES_OFFSET",
            "sketchWords SKETCH_WORDS_OFFSET",
            "reserved SKETCH_WORDS_OFFSET+8",
            "freeBytes FREE_BYTES_OFFSET",
            "freeEntries FREE_ENTRIES_OFFSET",
            "reserved FREE_ENTRIES_OFFSET+8",
            "sketch SKETCH_OFFSET",
            "buckets BUCKETS_OFFSET",
            "reserved BUCKETS_OFFSET+8",
            "entries ENTRIES_OFFSET",
            "freeBytes STRIPE_FREE_BYTES_OFFSET",
            "freeEntries STRIPE_FREE_ENTRIES_OFFSET",
            "evictions EVICTIONS_OFFSET",
            "slots SLOTS_OFFSET",
            "overflow OVERFLOW_OFFSET"),
        new Expected(
            ListLayout.class,
            "magic 0",
            "incarnation 8",
            "lengths 16",
            "reserved 24",
            "size SIZE_OFFSET",
            "reserved SIZE_OFFSET+8",
            "directory DIRECTORY_OFFSET"),
        new Expected(NodeLayout.class, "head 0"),
        new Expected(
            ObjectHeaderLayout.class,
            "type IDENTITY_OFFSET",
            "version IDENTITY_OFFSET+4",
            "extension EXTENSION_OFFSET",
            "fields HEADER_LENGTH"),
        new Expected(
            OwnerLayout.class,
            "mark MARK_OFFSET",
            "reserved MARK_OFFSET+4",
            "extension EXTENSION_OFFSET",
            "owner OWNER_OFFSET",
            "word WORD_OFFSET"),
        new Expected(
            QueueLayout.class,
            "magic 0",
            "incarnation 8",
            "lengths 16",
            "reserved 24",
            "headSegment HEAD_SEGMENT_OFFSET",
            "taken TAKEN_OFFSET",
            "reserved TAKEN_OFFSET+8",
            "tailSegment TAIL_SEGMENT_OFFSET",
            "added ADDED_OFFSET",
            "reserved ADDED_OFFSET+8",
            "next NEXT_OFFSET",
            "reserved NEXT_OFFSET+8",
            "slots SLOTS_OFFSET",
            "length ELEMENT_LENGTH_OFFSET",
            "element ELEMENT_OFFSET"),
        new Expected(ReferenceLayout.class, "reference 0"),
        new Expected(
            TreeLayout.class,
            "magic 0",
            "incarnation 8",
            "lengths 16",
            "root ROOT_OFFSET",
            "position POSITION_OFFSET",
            "buildKey BUILD_KEY_OFFSET",
            "kept KEPT_OFFSET",
            "held HELD_OFFSET",
            "counters COUNTERS_OFFSET",
            "lost LOST_OFFSET",
            "released RELEASED_OFFSET"),
        new Expected(
            TreeNodeLayout.class,
            "count HEADER_OFFSET",
            "level HEADER_OFFSET+1",
            "prefix HEADER_OFFSET+2",
            "tag HEADER_OFFSET+4",
            "order ORDER_OFFSET",
            "used 40",
            "next 72",
            "low 80",
            "high 88",
            "heads 96",
            "entries 352",
            "value 0",
            "length 0",
            "value 4",
            "keyLength 0",
            "valueLength 4",
            "key 8",
            "child 0",
            "keyLength 8",
            "reserved 12",
            "key 16"),
        new Expected(
            TypeTextLayout.class,
            "id ID_COLUMN",
            "version VERSION_COLUMN",
            "length LENGTH_COLUMN",
            "name FIELD_NAME_COLUMN+1",
            "kind FIELD_KIND_COLUMN+1",
            "length FIELD_LENGTH_COLUMN+1",
            "target FIELD_TARGET_COLUMN+1",
            "offset FIELD_OFFSET_COLUMN+1",
            "since FIELD_SINCE_COLUMN+1"),
        new Expected(
            ShapeTextLayout.class,
            "kind KIND_COLUMN",
            "version KIND_COLUMN+1",
            "name COMPONENT_NAME_COLUMN+2",
            "length COMPONENT_LENGTH_COLUMN+2",
            "codec COMPONENT_CODEC_COLUMN+2"),
        new Expected(
            OrderedKeyLayout.class,
            "bytes PRESENT_OFFSET",
            "bytes PRESENT_OFFSET",
            "present PRESENT_OFFSET",
            "part PART_OFFSET"),
        new Expected(
            BatchLayout.class,
            "magic MAGIC_OFFSET",
            "storeTag STORE_TAG_OFFSET",
            "generation GENERATION_OFFSET",
            "batchSequence SEQUENCE_OFFSET",
            "length LENGTH_OFFSET",
            "sectionCount SECTION_COUNT_OFFSET",
            "cut CUT_OFFSET",
            "stableAtWrite STABLE_OFFSET",
            "maxLsn MAX_LSN_OFFSET",
            "previousCrc PREVIOUS_CRC_OFFSET",
            "reserved RESERVED_OFFSET",
            "reserved RESERVED_OFFSET+4",
            "crc CRC_OFFSET",
            "sections HEADER_LENGTH",
            "partition SECTION_PARTITION_OFFSET",
            "length SECTION_LENGTH_OFFSET",
            "fromPosition SECTION_POSITION_OFFSET",
            "records SECTION_HEADER_LENGTH"),
        new Expected(
            ExportLayout.class,
            "magic MAGIC_OFFSET",
            "version VERSION_OFFSET",
            "reserved VERSION_OFFSET+4",
            "idHigh ID_HIGH_OFFSET",
            "idLow ID_LOW_OFFSET",
            "reserved ID_LOW_OFFSET+8",
            "crc CRC_OFFSET",
            "kind KIND_OFFSET",
            "length LENGTH_OFFSET",
            "number NUMBER_OFFSET",
            "tag TAG_OFFSET",
            "crc BLOCK_CRC_OFFSET",
            "payload PAYLOAD_OFFSET"),
        new Expected(
            ImageSumsLayout.class,
            "magic MAGIC_OFFSET",
            "formatVersion VERSION_OFFSET",
            "page PAGE_BYTES_OFFSET",
            "storeIdHigh STORE_ID_HIGH_OFFSET",
            "storeIdLow STORE_ID_LOW_OFFSET",
            "reserved RESERVED_OFFSET",
            "crc CRC_OFFSET",
            "zeros CRC_OFFSET+4",
            "sum HEADER_LENGTH",
            "sum HEADER_LENGTH+4"),
        new Expected(
            LogSummaryLayout.class,
            "magic MAGIC_OFFSET",
            "formatVersion VERSION_OFFSET",
            "page PAGE_BYTES_OFFSET",
            "storeIdHigh STORE_ID_HIGH_OFFSET",
            "storeIdLow STORE_ID_LOW_OFFSET",
            "generation GENERATION_OFFSET",
            "segment SEGMENT_OFFSET",
            "batch BATCH_OFFSET",
            "replayAboveLsn REPLAY_ABOVE_OFFSET",
            "imageLsn IMAGE_LSN_OFFSET",
            "mapWords MAP_WORDS_OFFSET",
            "lastBatch LAST_BATCH_OFFSET",
            "sinceLsn SINCE_OFFSET",
            "lastBatchCrc LAST_BATCH_CRC_OFFSET",
            "crc CRC_OFFSET",
            "header REGION_HEADER_OFFSET",
            "map MAP_OFFSET"),
        new Expected(PageLayout.class, "kind 0", "class 1", "length 2", "bitmap 0"),
        new Expected(
            RedoRecordLayout.class,
            "length HEAD_OFFSET",
            "kind HEAD_OFFSET+4",
            "zero HEAD_OFFSET+5",
            "count HEAD_OFFSET+6",
            "lsn LSN_OFFSET",
            "depLsn DEP_OFFSET",
            "entries ENTRIES_OFFSET",
            "group MULTIPART_GROUP_OFFSET",
            "partCount MULTIPART_COUNT_OFFSET",
            "entries MULTIPART_COUNT_OFFSET+8"),
        new Expected(
            RegionHeaderLayout.class,
            "magic MAGIC_ADDRESS",
            "version VERSION_ADDRESS",
            "top TOP_ADDRESS",
            "catalogue CATALOGUE_ADDRESS",
            "openings OPENINGS_ADDRESS",
            "types TYPES_ADDRESS",
            "shapes SHAPES_ADDRESS",
            "reserved SHAPES_ADDRESS+8",
            "roots ROOTS_ADDRESS",
            "horizon HORIZON_ADDRESS",
            "reserved HORIZON_ADDRESS+8",
            "pages PAGES_ADDRESS",
            "blocks BLOCKS_ADDRESS"),
        new Expected(
            WarmLayout.class,
            "magic MAGIC_OFFSET",
            "formatVersion VERSION_OFFSET",
            "pageBytes PAGE_BYTES_OFFSET",
            "storeIdHigh STORE_ID_HIGH_OFFSET",
            "storeIdLow STORE_ID_LOW_OFFSET",
            "nonce NONCE_OFFSET",
            "generation GENERATION_OFFSET",
            "bootHigh BOOT_HIGH_OFFSET",
            "bootLow BOOT_LOW_OFFSET",
            "device DEVICE_OFFSET",
            "inode INODE_OFFSET",
            "ownDevice OWN_DEVICE_OFFSET",
            "ownInode OWN_INODE_OFFSET",
            "capacity CAPACITY_OFFSET",
            "flags FLAGS_OFFSET",
            "crc CRC_OFFSET",
            "applying APPLYING_OFFSET",
            "noteLength NOTE_LENGTH_OFFSET",
            "noteCrc NOTE_CRC_OFFSET",
            "note NOTE_OFFSET",
            "maps MAPS_OFFSET"),
        new Expected(
            RingLayout.class,
            "magic MAGIC_OFFSET",
            "formatVersion VERSION_OFFSET",
            "partition PARTITION_OFFSET",
            "storeIdHigh STORE_ID_HIGH_OFFSET",
            "storeIdLow STORE_ID_LOW_OFFSET",
            "nonce NONCE_OFFSET",
            "generation GENERATION_OFFSET",
            "bootHigh BOOT_HIGH_OFFSET",
            "bootLow BOOT_LOW_OFFSET",
            "device DEVICE_OFFSET",
            "inode INODE_OFFSET",
            "capacity CAPACITY_OFFSET",
            "reserved RESERVED_OFFSET",
            "crc CRC_OFFSET",
            "inflight INFLIGHT_OFFSET",
            "tail TAIL_OFFSET",
            "forcedPosition FORCED_OFFSET",
            "records HEADER_LENGTH"),
        new Expected(
            SegmentLayout.class,
            "magic MAGIC_OFFSET",
            "formatVersion VERSION_OFFSET",
            "set SET_OFFSET",
            "storeIdHigh STORE_ID_HIGH_OFFSET",
            "storeIdLow STORE_ID_LOW_OFFSET",
            "segmentSequence SEQUENCE_OFFSET",
            "generation GENERATION_OFFSET",
            "length LENGTH_OFFSET",
            "reserved RESERVED_OFFSET",
            "crc CRC_OFFSET",
            "zeros CRC_OFFSET+4"),
        new Expected(
            SuperblockLayout.class,
            "magic MAGIC_OFFSET",
            "formatVersion VERSION_OFFSET",
            "crc CRC_OFFSET",
            "storeIdHigh STORE_ID_HIGH_OFFSET",
            "storeIdLow STORE_ID_LOW_OFFSET",
            "sequence SEQUENCE_OFFSET",
            "created CREATED_OFFSET",
            "partitions PARTITIONS_OFFSET",
            "logSets LOG_SETS_OFFSET",
            "ringBytes RING_BYTES_OFFSET",
            "maxSizeBytes MAX_SIZE_OFFSET",
            "orecCount OREC_COUNT_OFFSET",
            "orecStripe OREC_STRIPE_OFFSET",
            "page PAGE_OFFSET",
            "generation GENERATION_OFFSET",
            "baseLsn BASE_LSN_OFFSET",
            "clean CLEAN_OFFSET",
            "ringKind RING_KIND_OFFSET",
            "ringNonce RING_NONCE_OFFSET",
            "checkpoint CHECKPOINT_OFFSET",
            "replayAboveLsn REPLAY_ABOVE_OFFSET",
            "imageLsn IMAGE_LSN_OFFSET",
            "fallbackLsn FALLBACK_OFFSET",
            "phase PHASE_OFFSET",
            "journalArea JOURNAL_AREA_OFFSET",
            "journalLength JOURNAL_LENGTH_OFFSET",
            "journalCrc JOURNAL_CRC_OFFSET",
            "closedCount CLOSED_COUNT_OFFSET",
            "placeLength PLACE_LENGTH_OFFSET",
            "reserved RESERVED_OFFSET",
            "place PLACE_OFFSET",
            "log HEADER_LENGTH",
            "oldestSegment SET_OLDEST_SEGMENT_OFFSET",
            "firstSegment SET_FIRST_SEGMENT_OFFSET",
            "oldestBatch SET_OLDEST_BATCH_OFFSET",
            "term REPLICA_TERM_OFFSET",
            "index REPLICA_INDEX_OFFSET",
            "epoch REPLICA_EPOCH_OFFSET",
            "lastSequence REPLICA_SEQUENCE_OFFSET",
            "cut REPLICA_CUT_OFFSET",
            "lastCrc REPLICA_CRC_OFFSET",
            "generation CLOSED_GENERATION_OFFSET",
            "baseLsn CLOSED_BASE_LSN_OFFSET",
            "cut CLOSED_CUT_OFFSET",
            "lastBatch CLOSED_LAST_BATCH_OFFSET",
            "survivorEnds CLOSED_SURVIVOR_ENDS_OFFSET"),
        new Expected(
            JournalLayout.class,
            "magic MAGIC_OFFSET",
            "formatVersion VERSION_OFFSET",
            "page PAGE_BYTES_OFFSET",
            "storeIdHigh STORE_ID_HIGH_OFFSET",
            "storeIdLow STORE_ID_LOW_OFFSET",
            "checkpoint CHECKPOINT_OFFSET",
            "replayAboveLsn REPLAY_ABOVE_OFFSET",
            "pageCount PAGE_COUNT_OFFSET",
            "imageEnd IMAGE_END_OFFSET",
            "witnessCount WITNESS_COUNT_OFFSET",
            "crc CRC_OFFSET",
            "witnesses WITNESSES_OFFSET",
            "zeros WITNESSES_OFFSET+128",
            "page WITNESS_PAGE_OFFSET",
            "crc WITNESS_CRC_OFFSET",
            "reserved WITNESS_RESERVED_OFFSET",
            "magic GROUP_MAGIC_OFFSET",
            "checkpoint GROUP_CHECKPOINT_OFFSET",
            "firstPage GROUP_FIRST_PAGE_OFFSET",
            "count GROUP_COUNT_OFFSET",
            "dataLength GROUP_DATA_LENGTH_OFFSET",
            "reserved GROUP_RESERVED_OFFSET",
            "crc GROUP_CRC_OFFSET",
            "lines GROUP_HEADER_LENGTH",
            "pageDelta ENTRY_DELTA_OFFSET",
            "crc ENTRY_CRC_OFFSET",
            "lines ENTRY_LINES_OFFSET"));
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void diagramAgreesWithTheConstants(Expected expected) throws Exception {
    List<String> wanted = new ArrayList<>();
    for (String cell : expected.cells()) {
      String[] parts = cell.split(" ", 2);
      wanted.add(parts[0] + "@" + value(expected.layout(), parts[1]));
    }
    assertThat(drawn(expected.layout())).isEqualTo(wanted);
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void everyOffsetIsDrawn(Expected expected) {
    Set<String> offsets = new TreeSet<>();
    for (Field field : expected.layout().getDeclaredFields()) {
      String name = field.getName();
      if (Modifier.isPublic(field.getModifiers())
          && name.endsWith(
              expected.layout() == RegionHeaderLayout.class ? "_ADDRESS" : "_OFFSET")) {
        offsets.add(name);
      }
    }
    Set<String> used = new TreeSet<>();
    for (String cell : expected.cells()) {
      used.add(cell.replaceAll("^[^ ]+ |\\+\\d+$", ""));
    }
    assertThat(used).containsAll(offsets);
  }

  @Test
  void everyLayoutIsChecked() throws Exception {
    try (Stream<Path> sources = Files.list(SOURCES)) {
      assertThat(
              sources
                  .map(source -> source.getFileName().toString())
                  .filter(name -> name.endsWith("Layout.java")))
          .containsExactlyInAnyOrderElementsOf(
              layouts().map(expected -> expected + ".java").toList());
    }
  }

  private static int value(Class<?> layout, String term) throws Exception {
    if (Character.isDigit(term.charAt(0))) {
      return Integer.parseInt(term);
    }
    Matcher matcher = TERM.matcher(term);
    assertThat(matcher.matches()).as(term).isTrue();
    String distance = matcher.group(2);
    return layout.getField(matcher.group(1)).getInt(null)
        + (distance == null ? 0 : Integer.parseInt(distance));
  }

  /** Returns name@offset for each cell of the diagram. */
  private static List<String> drawn(Class<?> layout) throws Exception {
    String source = Files.readString(SOURCES.resolve(layout.getSimpleName() + ".java"));
    String diagram = source.substring(source.indexOf("<pre>"), source.indexOf("</pre>"));
    List<String> lines = diagram.lines().toList();
    String columns = lines.get(1);
    List<String> cells = new ArrayList<>();
    for (String line : lines) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        addRow(cells, columns, line, Integer.parseInt(row.group(2)));
      }
    }
    return cells;
  }

  private static void addRow(List<String> cells, String columns, String line, int offset) {
    int bar = line.indexOf('|');
    boolean closed = line.indexOf('|', bar + 1) >= 0;
    while (bar >= 0) {
      int next = line.indexOf('|', bar + 1);
      // What follows the last bar of a closed row explains it.
      if (next < 0 && closed) {
        return;
      }
      Matcher name = NAME.matcher(line.substring(bar + 1, next < 0 ? line.length() : next));
      assertThat(name.find()).as(line).isTrue();
      cells.add(name.group() + "@" + (offset + column(columns, bar)));
      bar = next;
    }
  }

  /** Returns the number that the diagram's first line has above the cell that starts at a bar. */
  private static int column(String columns, int bar) {
    Matcher number = Pattern.compile("\\d+").matcher(columns);
    assertThat(number.find(bar + 1) && number.start() == bar + 2)
        .as("a column number above the bar at %d of: %s", bar, columns)
        .isTrue();
    return Integer.parseInt(number.group());
  }
}
