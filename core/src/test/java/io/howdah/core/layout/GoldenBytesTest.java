package io.howdah.core.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * Formats written through their layouts, against bytes computed by another program. A change here
 * is a change of format: it takes a new version, and readers of the old one.
 */
final class GoldenBytesTest {

  private static final long STORE_HIGH = 0x1122334455667788L;
  private static final long STORE_LOW = 0x99AABBCCDDEEFF00L;
  private static final long GENERATION = 5;
  private static final int PARTITION = 2;
  private static final long POSITION = 4096;

  private static final String RECORD =
      "4800000001000200" // length 72, COMMIT, 2 entries
          + "02e8030000000000" // LSN 1000 of partition 2
          + "01e6030000000000" // depends on LSN 998 of partition 1
          + "0100000200000000" // one word at 4096
          + "ffffffffffffffff"
          + "0200000400000000" // two words at 8192
          + "0700000000000000"
          + "0800000000000000"
          + "d6e1ab720cf9c19f";

  private static ByteBuffer buffer(int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.capacity()];
    buffer.get(0, bytes);
    return bytes;
  }

  private static String hex(ByteBuffer buffer) {
    return HexFormat.of().formatHex(bytes(buffer));
  }

  private static ByteBuffer record() {
    int length = 72;
    ByteBuffer record =
        buffer(length)
            .putLong(
                RedoRecordLayout.HEAD_OFFSET,
                RedoRecordLayout.head(length, RedoRecordLayout.KIND_COMMIT, 2))
            .putLong(RedoRecordLayout.LSN_OFFSET, 1000L << 8 | PARTITION)
            .putLong(RedoRecordLayout.DEP_OFFSET, 998L << 8 | 1)
            .position(RedoRecordLayout.ENTRIES_OFFSET)
            .putLong(RedoRecordLayout.entryHead(4096, 1))
            .putLong(-1)
            .putLong(RedoRecordLayout.entryHead(8192, 2))
            .putLong(7)
            .putLong(8);
    long logSeed = RedoRecordLayout.logSeed(STORE_HIGH, STORE_LOW, GENERATION, PARTITION);
    int end = length - RedoRecordLayout.CHECKSUM_BYTES;
    assertThat(record.position()).isEqualTo(end);
    return record.putLong(end, RecordChecksum.of(record, 0, end, logSeed, POSITION));
  }

  @Test
  void redoRecord() {
    assertThat(hex(record())).isEqualTo(RECORD);
  }

  @Test
  void redoRecordIsReadAsItWasWritten() {
    ByteBuffer record = record();
    long head = record.getLong(RedoRecordLayout.HEAD_OFFSET);
    assertThat(RedoRecordLayout.isSaneHead(head)).isTrue();
    assertThat(RedoRecordLayout.length(head)).isEqualTo(72);
    assertThat(RedoRecordLayout.kind(head)).isEqualTo(RedoRecordLayout.KIND_COMMIT);
    assertThat(RedoRecordLayout.count(head)).isEqualTo(2);
    long entry = record.getLong(RedoRecordLayout.ENTRIES_OFFSET + 2 * Long.BYTES);
    assertThat(RedoRecordLayout.entryAddress(entry)).isEqualTo(8192);
    assertThat(RedoRecordLayout.entryRun(entry)).isEqualTo(2);
  }

  @Test
  void largestEntryIsReadAsItWasWritten() {
    long address = ((1L << 48) - 1) * Long.BYTES;
    long entry = RedoRecordLayout.entryHead(address, RedoRecordLayout.MAX_RUN);
    assertThat(RedoRecordLayout.entryAddress(entry)).isEqualTo(address);
    assertThat(RedoRecordLayout.entryRun(entry)).isEqualTo(RedoRecordLayout.MAX_RUN);
  }

  @Test
  void headsThatNoWriterMakesAreNotSane() {
    int commit = RedoRecordLayout.KIND_COMMIT;
    assertThat(RedoRecordLayout.isSaneHead(RedoRecordLayout.head(32, commit, 0))).isTrue();
    for (long head :
        new long[] {
          0,
          -1,
          RedoRecordLayout.head(24, commit, 0),
          RedoRecordLayout.head(36, commit, 0),
          RedoRecordLayout.head(-8, commit, 0),
          RedoRecordLayout.head(Integer.MIN_VALUE, commit, 0),
          RedoRecordLayout.head(RedoRecordLayout.MAX_LENGTH + 8, commit, 0),
          RedoRecordLayout.head(64, 0, 0),
          RedoRecordLayout.head(64, 5, 0),
          RedoRecordLayout.head(64, commit, 3),
          RedoRecordLayout.head(32, RedoRecordLayout.KIND_MULTIPART_COMMIT, 0),
          RedoRecordLayout.head(40, RedoRecordLayout.KIND_MULTIPART_COMMIT, 0),
          RedoRecordLayout.head(48, RedoRecordLayout.KIND_MULTIPART_COMMIT, 1),
        }) {
      assertThat(RedoRecordLayout.isSaneHead(head)).as("0x%x", head).isFalse();
    }
    for (int kind = commit; kind <= RedoRecordLayout.KIND_MULTIPART_COMMIT; kind++) {
      long head = RedoRecordLayout.head(64, kind, 0);
      assertThat(RedoRecordLayout.isSaneHead(head)).as("kind %s", kind).isTrue();
      for (int bit = 40; bit < 48; bit++) {
        assertThat(RedoRecordLayout.isSaneHead(head | 1L << bit))
            .as("kind %s, reserved bit %s", kind, bit)
            .isFalse();
      }
    }
  }

  @Test
  void checksumSeesEveryBitOfEveryWordItsPlaceTheSeedAndThePosition() {
    for (int count = 1; count <= 13; count++) {
      long[] words = new long[count];
      Arrays.setAll(words, i -> i * 0x1234_5678_9ABCL);
      long expected = checksum(123, POSITION, words);
      assertThat(checksum(122, POSITION, words)).isNotEqualTo(expected);
      assertThat(checksum(123, POSITION + 8, words)).isNotEqualTo(expected);
      for (int i = 0; i < count; i++) {
        for (int bit = 0; bit < Long.SIZE; bit++) {
          words[i] ^= 1L << bit;
          assertThat(checksum(123, POSITION, words)).isNotEqualTo(expected);
          words[i] ^= 1L << bit;
        }
        for (int other = 0; other < i; other++) {
          long[] swapped = words.clone();
          swapped[i] = words[other];
          swapped[other] = words[i];
          assertThat(checksum(123, POSITION, swapped)).isNotEqualTo(expected);
        }
      }
    }
  }

  @Test
  void checksumOfPiecesIsThatOfTheWhole() {
    long[] words = new long[21];
    Arrays.setAll(words, i -> i * 0x1234_5678_9ABCL);
    for (int first = 0; first <= words.length; first += RecordChecksum.LANES) {
      RecordChecksum pieces = new RecordChecksum();
      pieces.start(5, POSITION);
      pieces.add(words, first);
      long[] rest = Arrays.copyOfRange(words, first, words.length);
      pieces.add(rest, rest.length);
      assertThat(pieces.value()).isEqualTo(checksum(5, POSITION, words));
    }
    ByteBuffer bytes = buffer(8 + words.length * Long.BYTES);
    bytes.asLongBuffer().put(1, words);
    assertThat(RecordChecksum.of(bytes, 8, bytes.capacity(), 5, POSITION))
        .isEqualTo(checksum(5, POSITION, words));
  }

  private static long checksum(long logSeed, long position, long[] words) {
    RecordChecksum checksum = new RecordChecksum();
    checksum.start(logSeed, position);
    checksum.add(words, words.length);
    return checksum.value();
  }

  @Test
  void batch() {
    int section = BatchLayout.HEADER_LENGTH;
    int length = section + BatchLayout.SECTION_HEADER_LENGTH + 72;
    long tag = BatchLayout.storeTag(STORE_HIGH, STORE_LOW);
    ByteBuffer batch =
        buffer(length)
            .putLong(BatchLayout.MAGIC_OFFSET, BatchLayout.MAGIC)
            .putLong(BatchLayout.STORE_TAG_OFFSET, tag)
            .putLong(BatchLayout.GENERATION_OFFSET, GENERATION)
            .putLong(BatchLayout.SEQUENCE_OFFSET, 1)
            .putInt(BatchLayout.LENGTH_OFFSET, length)
            .putInt(BatchLayout.SECTION_COUNT_OFFSET, 1)
            .putLong(BatchLayout.CUT_OFFSET, 1000)
            .putLong(BatchLayout.STABLE_OFFSET, 996)
            .putLong(BatchLayout.MAX_LSN_OFFSET, 1002)
            .putInt(BatchLayout.PREVIOUS_CRC_OFFSET, BatchLayout.firstPreviousCrc(tag, GENERATION))
            .putInt(section + BatchLayout.SECTION_PARTITION_OFFSET, PARTITION)
            .putInt(section + BatchLayout.SECTION_LENGTH_OFFSET, 72)
            .putLong(section + BatchLayout.SECTION_POSITION_OFFSET, POSITION)
            .put(section + BatchLayout.SECTION_HEADER_LENGTH, bytes(record()));
    batch.putInt(BatchLayout.CRC_OFFSET, Crc32c.around(batch, BatchLayout.CRC_OFFSET, length));
    assertThat(hex(batch))
        .isEqualTo(
            "4857444241544348" // magic
                + "8888888888888888" // store tag
                + "0500000000000000" // generation
                + "0100000000000000" // sequence
                + "a800000001000000" // length 168, one section
                + "e803000000000000" // cut 1000
                + "e403000000000000" // stable 996
                + "ea03000000000000" // bound 1002
                + "efffd87200000000" // chain
                + "00000000bb32082d" // crc
                + "0200000048000000" // partition 2, 72 bytes
                + "0010000000000000" // position 4096
                + RECORD);
  }

  @Test
  void segment() {
    ByteBuffer segment =
        buffer(SegmentLayout.CRC_OFFSET + Integer.BYTES)
            .putLong(SegmentLayout.MAGIC_OFFSET, SegmentLayout.MAGIC)
            .putInt(SegmentLayout.VERSION_OFFSET, SegmentLayout.VERSION)
            .putInt(SegmentLayout.SET_OFFSET, 0)
            .putLong(SegmentLayout.STORE_ID_HIGH_OFFSET, STORE_HIGH)
            .putLong(SegmentLayout.STORE_ID_LOW_OFFSET, STORE_LOW)
            .putLong(SegmentLayout.SEQUENCE_OFFSET, 12)
            .putLong(SegmentLayout.GENERATION_OFFSET, GENERATION)
            .putLong(SegmentLayout.LENGTH_OFFSET, 1 << 20);
    segment.putInt(SegmentLayout.CRC_OFFSET, Crc32c.of(segment, 0, SegmentLayout.CRC_OFFSET));
    assertThat(hex(segment))
        .isEqualTo(
            "4857445345474d54" // magic
                + "0100000000000000" // version, set
                + "8877665544332211" // store
                + "00ffeeddccbbaa99"
                + "0c00000000000000" // sequence
                + "0500000000000000" // generation
                + "0000100000000000" // 1 MiB
                + "00000000495fcf3a");
  }

  @Test
  void ring() {
    ByteBuffer ring =
        buffer(RingLayout.CRC_OFFSET + Integer.BYTES)
            .putLong(RingLayout.MAGIC_OFFSET, RingLayout.MAGIC)
            .putInt(RingLayout.VERSION_OFFSET, RingLayout.VERSION)
            .putInt(RingLayout.PARTITION_OFFSET, PARTITION)
            .putLong(RingLayout.STORE_ID_HIGH_OFFSET, STORE_HIGH)
            .putLong(RingLayout.STORE_ID_LOW_OFFSET, STORE_LOW)
            .putLong(RingLayout.NONCE_OFFSET, 0x0123456789ABCDEFL)
            .putLong(RingLayout.GENERATION_OFFSET, GENERATION)
            .putLong(RingLayout.BOOT_HIGH_OFFSET, 0xA1)
            .putLong(RingLayout.BOOT_LOW_OFFSET, 0xB2)
            .putLong(RingLayout.DEVICE_OFFSET, 0xC3)
            .putLong(RingLayout.INODE_OFFSET, 0xD4)
            .putLong(RingLayout.CAPACITY_OFFSET, 1 << 20);
    ring.putInt(RingLayout.CRC_OFFSET, Crc32c.of(ring, 0, RingLayout.CRC_OFFSET));
    assertThat(hex(ring))
        .isEqualTo(
            "48574452494e4731" // magic
                + "0200000002000000" // version, partition
                + "8877665544332211" // store
                + "00ffeeddccbbaa99"
                + "efcdab8967452301" // nonce
                + "0500000000000000" // generation
                + "a100000000000000" // boot
                + "b200000000000000"
                + "c300000000000000" // device, inode
                + "d400000000000000"
                + "0000100000000000" // 1 MiB
                + "000000006e9d0452");
  }

  @Test
  void warm() {
    ByteBuffer warm =
        buffer(WarmLayout.HEADER_LENGTH)
            .putLong(WarmLayout.MAGIC_OFFSET, WarmLayout.MAGIC)
            .putInt(WarmLayout.VERSION_OFFSET, WarmLayout.VERSION)
            .putInt(WarmLayout.PAGE_BYTES_OFFSET, 4096)
            .putLong(WarmLayout.STORE_ID_HIGH_OFFSET, STORE_HIGH)
            .putLong(WarmLayout.STORE_ID_LOW_OFFSET, STORE_LOW)
            .putLong(WarmLayout.NONCE_OFFSET, 0x0123456789ABCDEFL)
            .putLong(WarmLayout.GENERATION_OFFSET, GENERATION)
            .putLong(WarmLayout.BOOT_HIGH_OFFSET, 0xA1)
            .putLong(WarmLayout.BOOT_LOW_OFFSET, 0xB2)
            .putLong(WarmLayout.DEVICE_OFFSET, 0xC3)
            .putLong(WarmLayout.INODE_OFFSET, 0xD4)
            .putLong(WarmLayout.OWN_DEVICE_OFFSET, 0xE5)
            .putLong(WarmLayout.OWN_INODE_OFFSET, 0xF6)
            .putLong(WarmLayout.CAPACITY_OFFSET, 1 << 20)
            .putInt(WarmLayout.FLAGS_OFFSET, WarmLayout.IMAGE_VERIFIED);
    warm.putInt(WarmLayout.CRC_OFFSET, Crc32c.of(warm, 0, WarmLayout.CRC_OFFSET));
    assertThat(hex(warm))
        .isEqualTo(
            "4857445741524d31" // magic
                + "0200000000100000" // version, page
                + "8877665544332211" // store
                + "00ffeeddccbbaa99"
                + "efcdab8967452301" // nonce
                + "0500000000000000" // generation
                + "a100000000000000" // boot
                + "b200000000000000"
                + "c300000000000000" // device, inode of the region
                + "d400000000000000"
                + "e500000000000000" // device, inode of this file
                + "f600000000000000"
                + "0000100000000000" // 1 MiB
                + "010000001c471db6");
  }

  @Test
  void pageDescriptor() {
    // A slab of size class 7 on 16 pages.
    long descriptor = PageLayout.descriptor(PageLayout.SLAB, 7, 16);
    assertThat(hex(buffer(Long.BYTES).putLong(descriptor))).isEqualTo("0207100000000000");
    assertThat(PageLayout.kind(descriptor)).isEqualTo(PageLayout.SLAB);
    assertThat(PageLayout.sizeClass(descriptor)).isEqualTo(7);
    assertThat(PageLayout.length(descriptor)).isEqualTo(16);
    long unused = PageLayout.descriptor(PageLayout.FREE, PageLayout.NEVER_WRITTEN, 0x1234);
    assertThat(hex(buffer(Long.BYTES).putLong(unused))).isEqualTo("0101341200000000");
  }

  @Test
  void pageDescriptorsStandInTheHeaderOrInFrontOfTheirPages() {
    assertThat(PageLayout.descriptorAddress(0)).isEqualTo(4096);
    assertThat(PageLayout.descriptorAddress(511)).isEqualTo(8184);
    assertThat(PageLayout.descriptorAddress(512)).isEqualTo(512L << 12);
    assertThat(PageLayout.descriptorAddress(1023)).isEqualTo((513L << 12) - 8);
    assertThat(PageLayout.descriptorAddress(1024)).isEqualTo(1024L << 12);
    assertThat(PageLayout.tablePages(512)).isEqualTo(1);
    assertThat(PageLayout.tablePages(1L << 33)).isEqualTo(1L << 24);
  }

  @Test
  void hashTable() {
    ByteBuffer header =
        buffer(HashTableLayout.SEGMENTS_OFFSET)
            .putLong(CollectionHeaderLayout.MAGIC_OFFSET, HashTableLayout.MAGIC)
            .putLong(CollectionHeaderLayout.INCARNATION_OFFSET, 0x0123456789ABCDEFL)
            .putLong(
                CollectionHeaderLayout.LENGTHS_OFFSET,
                CollectionHeaderLayout.lengths(8, CollectionHeaderLayout.VARIABLE));
    assertThat(hex(header))
        .isEqualTo(
            "4857445441424c33" // magic
                + "efcdab8967452301" // incarnation
                + "08000000ffffffff"); // keys of 8 bytes, values that differ in length
    long hash = 0xFEDC_BA98_7654_3210L;
    ByteBuffer bucket =
        buffer(HashTableLayout.BUCKET_BYTES)
            .putLong(HashTableLayout.SLOTS_OFFSET, HashTableLayout.tag(hash) | 0x12340)
            .putLong(HashTableLayout.OVERFLOW_OFFSET, HashTableLayout.overflow(3, 0x5680));
    assertThat(hex(bucket))
        .isEqualTo(
            "402301000080"
                + "0c95" // an address, and 18 bits of a hash above it
                + "00".repeat(6 * Long.BYTES)
                + "8056000000c00000"); // an address, and depth 3 above it
    assertThat(HashTableLayout.stripe(hash)).isEqualTo(63);
    assertThat(HashTableLayout.LENGTH).isEqualTo(4928);
  }

  @Test
  void bucketsOfAHashTableAreInSegments() {
    assertThat(
            new int[] {
              HashTableLayout.segment(0),
              HashTableLayout.segment(1),
              HashTableLayout.segment(3),
              HashTableLayout.segment(4),
              HashTableLayout.segment(9),
              HashTableLayout.segment(HashTableLayout.MAX_BUCKETS - 1)
            })
        .containsExactly(0, 1, 2, 3, 7, HashTableLayout.SEGMENTS - 1);
    assertThat(HashTableLayout.offsetInSegment(9, 5)).isEqualTo((64 + 5) * 64);
  }

  @Test
  void treeNodes() {
    assertThat(hex(buffer(Long.BYTES).putLong(0, TreeNodeLayout.header(2, 5, 3, 0x11223344))))
        .isEqualTo("0509030044332211"); // 5 entries, level 2, prefix of 3 bytes, tag
    assertThat(hex(buffer(Long.BYTES).putLong(0, TreeLayout.root(0x12400 | 2, 3))))
        .isEqualTo("0e24010000000000");
    assertThat(TreeLayout.rootNode(0x1240E)).isEqualTo(0x12402);
    assertThat(TreeLayout.height(0x1240E)).isEqualTo(3);
    long first = 0x6162636465666768L; // "abcdefgh", big-endian
    assertThat(TreeNodeLayout.head(first)).isEqualTo(0xE162636465666768L);
    assertThat(TreeNodeLayout.head(first, 3)).isEqualTo(0xE162630000000003L);
    assertThat(TreeNodeLayout.head(first, 7)).isEqualTo(0xE162636465666707L);
    assertThat(TreeNodeLayout.head(first, 8)).isEqualTo(0xE162636465666708L);
    assertThat(TreeNodeLayout.head(first, 0)).isEqualTo(Long.MIN_VALUE);
    assertThat(hex(buffer(Long.BYTES).putLong(0, TreeNodeLayout.fence(5, 0x180))))
        .isEqualTo("8001000000400100");
    assertThat(TreeNodeLayout.fenceLength(TreeNodeLayout.fence(1 << 16, 0x1000)))
        .isEqualTo(1 << 16);
    assertThat(TreeNodeLayout.tag(0x1_2345_6780L)).isEqualTo(0x12345678);
    assertThat(TreeLayout.LENGTH).isEqualTo(1088);
  }

  @Test
  void partsOfTreeNodes() {
    assertThat(parts(TreeNodeLayout.SMALL)).containsExactly(1024, 64, 80, 88, 96, 104, 552);
    assertThat(parts(TreeNodeLayout.MIDDLE)).containsExactly(2048, 72, 104, 112, 120, 128, 640);
    assertThat(parts(TreeNodeLayout.LARGE)).containsExactly(4096, 40, 72, 80, 88, 96, 352);
  }

  private static int[] parts(TreeNodeLayout node) {
    return new int[] {
      node.bytes,
      node.usedAt * Long.BYTES,
      node.nextAt * Long.BYTES,
      node.lowAt * Long.BYTES,
      node.highAt * Long.BYTES,
      node.headsAt * Long.BYTES,
      node.entriesAt * Long.BYTES
    };
  }

  @Test
  void change() {
    ByteBuffer change =
        buffer(ChangeLayout.KEY_OFFSET + 3)
            .putInt(ChangeLayout.KIND_OFFSET, ChangeLayout.PUT)
            .putInt(ChangeLayout.KEY_LENGTH_OFFSET, 2)
            .put(ChangeLayout.KEY_OFFSET, new byte[] {0x6b, 0x65, 0x76});
    assertThat(hex(change)).isEqualTo("01000000020000006b6576"); // the key "ke", the value "v"
    assertThat(new int[] {ChangeLayout.REMOVED, ChangeLayout.EXPIRED}).containsExactly(2, 3);
    assertThat(
            new int[] {
              TreeLayout.POSITION_OFFSET,
              TreeLayout.KEPT_OFFSET,
              TreeLayout.HELD_OFFSET,
              TreeLayout.RELEASED_OFFSET
            })
        .containsExactly(32, 48, 56, 136);
  }

  @Test
  void queueSegment() {
    ByteBuffer segment =
        buffer(QueueLayout.SLOTS_OFFSET + QueueLayout.SLOT_BYTES)
            .putLong(QueueLayout.NEXT_OFFSET, 0x2040);
    int slot = (int) QueueLayout.slotOffset(31);
    segment
        .putLong(slot + QueueLayout.ELEMENT_LENGTH_OFFSET, 3 + 1)
        .put(slot + QueueLayout.ELEMENT_OFFSET, new byte[] {1, 2, 3});
    assertThat(hex(segment))
        .isEqualTo(
            "4020000000000000" // next segment
                + "00".repeat(24)
                + "0400000000000000" // 3 bytes
                + "0102030000000000"
                + "00".repeat(16));
    assertThat(QueueLayout.SEGMENT_BYTES).isEqualTo(1024);
  }

  @Test
  void chunksDouble() {
    long units = 0;
    for (int chunk = 0; chunk < ChunkDirectoryLayout.CHUNKS; chunk++) {
      assertThat(ChunkDirectoryLayout.firstUnit(chunk)).isEqualTo(units);
      assertThat(ChunkDirectoryLayout.chunk(units)).isEqualTo(chunk);
      units += ChunkDirectoryLayout.units(chunk);
      assertThat(ChunkDirectoryLayout.chunk(units - 1)).isEqualTo(chunk);
    }
    assertThat(units).isEqualTo(ChunkDirectoryLayout.MAX_UNITS);
  }

  @Test
  void objectHeaderAndReference() {
    long reference = ReferenceLayout.reference(0x2040, 0x2AAAAL << 46);
    long identity = ObjectHeaderLayout.identity(7, 2, reference);
    assertThat(hex(buffer(2 * Long.BYTES).putLong(identity).putLong(reference)))
        .isEqualTo(
            "0700000002"
                + "80aaaa" // type 7, version 2, incarnation
                + "4020000000"
                + "80aaaa"); // address, incarnation
    assertThat(ObjectHeaderLayout.isIdentityOf(identity, 7, reference)).isTrue();
    assertThat(ObjectHeaderLayout.isIdentityOf(identity, 8, reference)).isFalse();
    assertThat(ObjectHeaderLayout.isIdentityOf(identity, 7, 0x2040)).isFalse();
    assertThat(ObjectHeaderLayout.version(identity)).isEqualTo(2);
  }

  @Test
  void ownerBlock() {
    assertThat(
            hex(
                buffer(OwnerLayout.LENGTH)
                    .putLong(OwnerLayout.MARK_OFFSET, OwnerLayout.MARK)
                    .putLong(OwnerLayout.EXTENSION_OFFSET, 0x3040)
                    .putLong(
                        OwnerLayout.OWNER_OFFSET, ReferenceLayout.reference(0x2040, 0x2AAAAL << 46))
                    .putLong(OwnerLayout.WORD_OFFSET, 0x2058)))
        .isEqualTo(
            "ffffffff00000000" + "4030000000000000" + "402000000080aaaa" + "5820000000000000");
    assertThat(ObjectHeaderLayout.version(OwnerLayout.MARK)).as("has no fields").isZero();
  }

  @Test
  void magicsSpellTheirNames() {
    assertThat(
            new String[] {
              spelled(BatchLayout.MAGIC),
              spelled(BlobLayout.MAGIC),
              spelled(CounterLayout.MAGIC),
              spelled(HashTableLayout.MAGIC),
              spelled(HashTableLayout.FORMER_MAGIC),
              spelled(ListLayout.MAGIC),
              spelled(QueueLayout.MAGIC),
              spelled(RegionHeaderLayout.MAGIC),
              spelled(RingLayout.MAGIC),
              spelled(SegmentLayout.MAGIC),
              spelled(SuperblockLayout.MAGIC),
              spelled(TreeLayout.MAGIC),
              spelled(WarmLayout.MAGIC)
            })
        .containsExactly(
            "HWDBATCH",
            "HWD_BLB2",
            "HWDCUNTR",
            "HWDTABL3",
            "HWDTABL2",
            "HWD_LST2",
            "HWDQUEUE",
            "HWDHEAP1",
            "HWDRING1",
            "HWDSEGMT",
            "HWDSTORE",
            "HWDBTRE2",
            "HWDWARM1");
  }

  private static String spelled(long magic) {
    return new String(bytes(buffer(Long.BYTES).putLong(magic)), StandardCharsets.US_ASCII);
  }
}
