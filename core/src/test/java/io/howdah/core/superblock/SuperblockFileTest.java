package io.howdah.core.superblock;

import static io.howdah.core.layout.SuperblockLayout.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SuperblockFileTest {

  @TempDir Path directory;

  private FileStorage storage;
  private Path path;

  @BeforeEach
  void openStorage() {
    storage = FileStorage.open(directory);
    path = directory.resolve(SuperblockFile.NAME);
  }

  @AfterEach
  void closeStorage() {
    storage.close();
  }

  private byte[] contents() throws Exception {
    return Files.readAllBytes(path);
  }

  private Superblock reopened() {
    try (SuperblockFile file = SuperblockFile.open(storage)) {
      return file.current();
    }
  }

  /** Changes a slot and gives it a checksum that fits, as no accident would. */
  private static void forge(byte[] file, int slot, Consumer<ByteBuffer> change) {
    ByteBuffer bytes =
        ByteBuffer.wrap(file, slot * SLOT_LENGTH, SLOT_LENGTH)
            .slice()
            .order(ByteOrder.LITTLE_ENDIAN);
    change.accept(bytes);
    bytes.putInt(CRC_OFFSET, Crc32c.around(bytes, CRC_OFFSET, SLOT_LENGTH));
  }

  @Test
  void everySuperblockReadsBackAsItWas() {
    for (Superblock superblock :
        List.of(
            Superblocks.fresh(),
            Superblocks.closed(),
            Superblocks.busy(),
            Superblocks.replica(),
            Superblocks.largest())) {
      ByteBuffer slot = SuperblockCodec.encode(superblock);
      assertThat(SuperblockCodec.decode(slot))
          .isEqualTo(new SuperblockCodec.Slot.Valid(superblock));
    }
  }

  @Test
  void superblockHasItsGoldenBytes() {
    ByteBuffer slot = SuperblockCodec.encode(Superblocks.busy());
    byte[] used = new byte[HEADER_LENGTH + SET_LENGTH + 2 * closedLength(3)];
    slot.get(0, used);
    String hex = HexFormat.of().formatHex(used);
    String place = HexFormat.of().formatHex("howdah-1122-0099".getBytes(StandardCharsets.US_ASCII));
    assertThat(hex)
        .isEqualTo(
            "48574453544f5245" // magic
                + "06000000" // version 6
                + "f74a9593" // crc
                + "8877665544332211" // store id
                + "00ffeeddccbbaa99"
                + "4d00000000000000" // sequence 77
                + "00505c18a3010000" // created 1800000000000
                + "0300000001000000" // partitions, sets
                + "0000100000000000" // ring 1 MiB
                + "0000000004000000" // region 16 GiB
                + "0000400000000000" // orecs 4 Mi
                + "2000000000100000" // stripe 32, page 4096
                + "0600000000000000" // generation
                + "d007000000000000" // base 2000
                + "0000000001000000" // not clean, volatile place
                + "efcdab8967452301" // nonce
                + "0900000000000000" // checkpoint 9
                + "0002000000000000" // replay above 512
                + "1202000000000000" // image holds nothing above 530
                + "f401000000000000" // fallback 500
                + "0100000001000000" // journaled, area 1
                + "0000100000000000" // journal 1 MiB
                + "bebafeca02000000" // journal crc, two closed generations
                + "1000000000000000" // 16 characters
                + place
                + "00".repeat(200 - 16)
                + "15000000000000001600000000000000" // log
                + "4b01000000000000" // its oldest batch 331
                + "04000000000000005802000000000000bc02000000000000" // generation 4
                + "2000000000000000" // last batch 32
                + "0000000000000000be02000000000000bd02000000000000"
                + "0500000000000000e803000000000000dc05000000000000" // generation 5
                + "2900000000000000" // last batch 41
                + "400600000000000000000000000000000000000000000000");
    for (int i = used.length; i < SLOT_LENGTH; i++) {
      assertThat(slot.get(i)).isZero();
    }
  }

  @Test
  void statesFollowEachOtherAndSurviveReopening() throws Exception {
    try (SuperblockFile file = SuperblockFile.create(storage, Superblocks.fresh())) {
      assertThat(file.current()).isEqualTo(Superblocks.fresh());
      assertThat(storage.list("")).containsExactly(SuperblockFile.NAME);
      file.write(file.current().change().withBaseLsn(5).build());
      file.write(file.current().change().withBaseLsn(6).build());
      assertThat(file.current().sequence()).isEqualTo(3);
      assertThat(reopened()).isEqualTo(file.current());
      assertThat(reopened().baseLsn()).isEqualTo(6);
    }
    byte[] bytes = contents();
    assertThat(bytes).hasSize(SLOTS * SLOT_LENGTH);
    assertThat(ByteBuffer.wrap(bytes, 0, SLOT_LENGTH))
        .as("both slots hold the state")
        .isEqualTo(ByteBuffer.wrap(bytes, SLOT_LENGTH, SLOT_LENGTH));
  }

  @Test
  void creationNeverReplacesAStoreAndSurvivesItsOwnRemains() throws Exception {
    Files.writeString(directory.resolve("store.howdah.new"), "half");
    SuperblockFile.create(storage, Superblocks.fresh()).close();
    assertThatThrownBy(() -> SuperblockFile.create(storage, Superblocks.busy()))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.EXISTS));
    assertThat(reopened()).isEqualTo(Superblocks.fresh());
    assertThat(storage.list("")).containsExactly(SuperblockFile.NAME);
  }

  @Test
  void missingSuperblockIsMissing() {
    assertThat(SuperblockFile.exists(storage)).isFalse();
    assertThatThrownBy(() -> SuperblockFile.open(storage))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.MISSING));
  }

  @Test
  void noByteOfASlotCanChangeUnseen() {
    ByteBuffer slot = SuperblockCodec.encode(Superblocks.busy());
    for (int i = 0; i < SLOT_LENGTH; i++) {
      byte before = slot.get(i);
      slot.put(i, (byte) (before ^ 1 << i % 8));
      assertThat(SuperblockCodec.decode(slot))
          .as("byte %d", i)
          .isInstanceOfAny(SuperblockCodec.Slot.Damaged.class, SuperblockCodec.Slot.Foreign.class);
      slot.put(i, before);
    }
    assertThat(SuperblockCodec.decode(slot)).isInstanceOf(SuperblockCodec.Slot.Valid.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void anyDamagedByteOfOneSlotIsSeenAndTheOtherSlotOpens(int slot) {
    SuperblockFile.create(storage, Superblocks.busy()).close();
    ByteBuffer one = ByteBuffer.allocateDirect(1);
    ByteBuffer before = ByteBuffer.allocateDirect(1);
    try (StorageFile file = storage.open(SuperblockFile.NAME, Storage.Access.READ_WRITE)) {
      // Every byte that has a meaning, and one in 61 of the padding: each try reads 128 KiB.
      for (int i = 0; i < SLOT_LENGTH; i += i < 700 ? 1 : 61) {
        long offset = (long) slot * SLOT_LENGTH + i;
        file.read(offset, before.clear());
        file.write(offset, one.clear().put((byte) (before.get(0) ^ 1 << i % 8)).flip());
        SuperblockFile read = SuperblockFile.read(file);
        assertThat(read.hadDamagedSlot()).as("byte %d", i).isTrue();
        assertThat(read.current()).isEqualTo(Superblocks.busy());
        file.write(offset, before.flip());
      }
      assertThat(SuperblockFile.read(file).hadDamagedSlot()).isFalse();
    }
  }

  @Test
  void sameByteDamagedInBothSlotsIsATypedError() throws Exception {
    SuperblockFile.create(storage, Superblocks.busy()).close();
    byte[] good = contents();
    for (int i = 0; i < SLOT_LENGTH; i += i < 700 ? 1 : 997) {
      byte[] bad = good.clone();
      bad[i] ^= 0x10;
      bad[SLOT_LENGTH + i] ^= 0x10;
      Files.write(path, bad);
      Class<? extends RuntimeException> expected =
          i < 8 ? UnsupportedStoreException.class : CorruptStoreException.class;
      assertThatThrownBy(() -> SuperblockFile.open(storage))
          .as("byte %d", i)
          .isInstanceOf(expected)
          .hasMessageContaining(path.toString());
      assertThat(contents()).as("nothing is changed").isEqualTo(bad);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void nextWriteHealsADamagedSlot(int slot) throws Exception {
    SuperblockFile.create(storage, Superblocks.fresh()).close();
    byte[] bytes = contents();
    bytes[slot * SLOT_LENGTH + 100] ^= 1;
    Files.write(path, bytes);
    try (SuperblockFile file = SuperblockFile.open(storage)) {
      assertThat(file.hadDamagedSlot()).isTrue();
      file.write(file.current());
    }
    try (SuperblockFile file = SuperblockFile.open(storage)) {
      assertThat(file.hadDamagedSlot()).isFalse();
      assertThat(file.current().sequence()).isEqualTo(2);
    }
  }

  @Test
  void failedWriteAtAnyPointLeavesTheStateBeforeOrAfter() throws Exception {
    SuperblockFile.create(storage, Superblocks.fresh()).close();
    byte[] fresh = contents();
    // From whole slots, from one damaged slot, and from slots that differ: the newer one is in
    // each.
    for (int start = 0; start < 5; start++) {
      for (int failAt = 1; failAt <= 4; failAt++) {
        byte[] bytes = fresh.clone();
        switch (start) {
          case 1 -> bytes[100] ^= 1;
          case 2 -> bytes[SLOT_LENGTH + 100] ^= 1;
          case 3 -> forge(bytes, 0, slot -> slot.putLong(SEQUENCE_OFFSET, 2));
          case 4 -> forge(bytes, 1, slot -> slot.putLong(SEQUENCE_OFFSET, 2));
          default -> {}
        }
        Files.write(path, bytes);
        Superblock before = reopened();
        Superblock next = before.change().withBaseLsn(9).build();
        try (StorageFile file = storage.open(SuperblockFile.NAME, Storage.Access.READ_WRITE)) {
          SuperblockFile superblocks = SuperblockFile.read(new FaultyFile(file, failAt));
          assertThatThrownBy(() -> superblocks.write(next)).isInstanceOf(StorageException.class);
          assertThat(superblocks.current()).isEqualTo(before);
          assertThatThrownBy(() -> superblocks.write(next))
              .as("nothing is known after a failure, so nothing is retried")
              .isInstanceOf(StoreFailedException.class);
        }
        Superblock after = reopened();
        assertThat(after)
            .as("start %d, failure at %d", start, failAt)
            .isIn(before, next.change().withSequence(before.sequence() + 1).build());
        if (failAt >= 3) {
          assertThat(after.baseLsn()).as("the first slot was forced").isEqualTo(9);
        }
      }
    }
  }

  @Test
  void oneSlotIsForcedBeforeTheOtherIsTouched() {
    SuperblockFile.create(storage, Superblocks.fresh()).close();
    try (StorageFile file = storage.open(SuperblockFile.NAME, Storage.Access.READ_WRITE)) {
      FaultyFile recorded = new FaultyFile(file, 0);
      SuperblockFile.read(recorded).write(Superblocks.fresh());
      assertThat(recorded.operations())
          .containsExactly("write at 0", "force", "write at " + SLOT_LENGTH, "force");
    }
  }

  @Test
  void newerOfTwoValidSlotsCounts() throws Exception {
    SuperblockFile.create(storage, Superblocks.fresh()).close();
    for (int newer = 0; newer < 2; newer++) {
      byte[] bytes = contents();
      forge(bytes, newer, slot -> slot.putLong(SEQUENCE_OFFSET, 2).putLong(BASE_LSN_OFFSET, 42));
      forge(
          bytes, 1 - newer, slot -> slot.putLong(SEQUENCE_OFFSET, 1).putLong(BASE_LSN_OFFSET, 41));
      Files.write(path, bytes);
      try (SuperblockFile file = SuperblockFile.open(storage)) {
        assertThat(file.current().baseLsn()).isEqualTo(42);
        assertThat(file.hadDamagedSlot()).isFalse();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "5, and none before: dump the data with the release that wrote the store",
    "7, 'open the store with the release that wrote it, or a later one'"
  })
  void anotherVersionOfTheFormatIsToldFromDamage(int version, String advice) throws Exception {
    SuperblockFile.create(storage, Superblocks.fresh()).close();
    byte[] bytes = contents();
    forge(bytes, 0, slot -> slot.putInt(VERSION_OFFSET, version));
    forge(bytes, 1, slot -> slot.putInt(VERSION_OFFSET, version));
    Files.write(path, bytes);
    assertThatThrownBy(() -> SuperblockFile.open(storage))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("format version " + version + ", this release reads version 6")
        .hasMessageContaining(advice);
    bytes[CRC_OFFSET] ^= 1;
    bytes[SLOT_LENGTH + CRC_OFFSET] ^= 1;
    Files.write(path, bytes);
    assertThatThrownBy(() -> SuperblockFile.open(storage))
        .isInstanceOf(CorruptStoreException.class);
  }

  @Test
  void foreignFilesAreNoStores() throws Exception {
    for (String text : List.of("plain text\n", "#".repeat(200_000))) {
      Files.writeString(path, text);
      assertThatThrownBy(() -> SuperblockFile.open(storage))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("not a superblock");
    }
  }

  @Test
  void truncatedOrZeroedFilesAreCorrupt() throws Exception {
    SuperblockFile.create(storage, Superblocks.fresh()).close();
    byte[] good = contents();
    for (int length : new int[] {0, 7, 8, 4096, SLOT_LENGTH - 1}) {
      Files.write(path, Arrays.copyOf(good, length));
      assertThatThrownBy(() -> SuperblockFile.open(storage))
          .as("length %d", length)
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("file ends");
    }
    Files.write(path, new byte[SLOTS * SLOT_LENGTH]);
    assertThatThrownBy(() -> SuperblockFile.open(storage))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("zeros");
    Files.write(path, Arrays.copyOf(good, SLOT_LENGTH));
    try (SuperblockFile file = SuperblockFile.open(storage)) {
      assertThat(file.current()).isEqualTo(Superblocks.fresh());
      assertThat(file.hadDamagedSlot()).isTrue();
      file.write(file.current());
    }
    assertThat(Files.size(path)).isEqualTo(SLOTS * SLOT_LENGTH);
  }

  @Test
  void hostileContentsWithAFittingChecksumAreRefused() throws Exception {
    SuperblockFile.create(storage, Superblocks.busy()).close();
    byte[] good = contents();
    List<Consumer<ByteBuffer>> changes =
        List.of(
            slot -> slot.putInt(PARTITIONS_OFFSET, Integer.MAX_VALUE),
            slot -> slot.putInt(PARTITIONS_OFFSET, -1),
            slot -> slot.putInt(LOG_SETS_OFFSET, Integer.MAX_VALUE),
            slot -> slot.putInt(LOG_SETS_OFFSET, 3),
            slot -> slot.putInt(CLOSED_COUNT_OFFSET, Integer.MAX_VALUE),
            slot -> slot.putInt(CLOSED_COUNT_OFFSET, -1),
            slot -> slot.putInt(CLOSED_COUNT_OFFSET, 1),
            slot -> slot.putInt(CLOSED_COUNT_OFFSET, 3),
            slot -> slot.putInt(PLACE_LENGTH_OFFSET, Integer.MAX_VALUE),
            slot -> slot.putInt(PLACE_LENGTH_OFFSET, -1),
            slot -> slot.putInt(PLACE_LENGTH_OFFSET, 15),
            slot -> slot.put(PLACE_OFFSET, (byte) '/'),
            slot -> slot.put(PLACE_OFFSET + MAX_PLACE_LENGTH - 1, (byte) 'x'),
            slot -> slot.putInt(RING_KIND_OFFSET, 3),
            slot -> slot.putInt(RING_KIND_OFFSET, 0),
            slot -> slot.putInt(RING_KIND_OFFSET, 2),
            slot -> slot.putInt(CLEAN_OFFSET, 2),
            slot -> slot.putInt(PHASE_OFFSET, 4),
            slot -> slot.putInt(RESERVED_OFFSET, 1),
            slot -> slot.putLong(SEQUENCE_OFFSET, 0),
            slot -> slot.putLong(SEQUENCE_OFFSET, -5),
            slot -> slot.putLong(MAX_SIZE_OFFSET, Long.MAX_VALUE),
            slot -> slot.putLong(OREC_COUNT_OFFSET, Long.MIN_VALUE),
            slot -> slot.putLong(STORE_ID_HIGH_OFFSET, 0).putLong(STORE_ID_LOW_OFFSET, 0),
            slot -> slot.put(SLOT_LENGTH - 1, (byte) 1));
    for (Consumer<ByteBuffer> change : changes) {
      byte[] bad = good.clone();
      forge(bad, 0, change);
      forge(bad, 1, change);
      Files.write(path, bad);
      assertThatThrownBy(() -> SuperblockFile.open(storage))
          .as("change %d", changes.indexOf(change))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("impossible contents");
    }
  }

  @Test
  void slotsOfTwoStoresAreRefused() throws Exception {
    SuperblockFile.create(storage, Superblocks.fresh()).close();
    byte[] bytes = contents();
    forge(bytes, 1, slot -> slot.putLong(STORE_ID_LOW_OFFSET, 1));
    Files.write(path, bytes);
    assertThatThrownBy(() -> SuperblockFile.open(storage))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("two stores");
  }

  @Test
  void writingAnotherStoresSuperblockIsTheCallersMistake() {
    try (SuperblockFile file = SuperblockFile.create(storage, Superblocks.fresh())) {
      Superblock fresh = Superblocks.fresh();
      Superblock other =
          new Superblock(
              new StoreId(1, 1),
              fresh.createdMs(),
              fresh.geometry(),
              1,
              1,
              0,
              false,
              fresh.rings(),
              fresh.log(),
              fresh.checkpoint(),
              List.of());
      assertThatThrownBy(() -> file.write(other)).isInstanceOf(IllegalArgumentException.class);
      file.write(fresh);
    }
  }

  @Test
  void readOnlyStorageReadsAndRefusesToWrite() {
    SuperblockFile.create(storage, Superblocks.busy()).close();
    try (FileStorage readOnly =
            FileStorage.open(directory, FileStorageOptions.DEFAULT.withReadOnly(true));
        SuperblockFile file = SuperblockFile.open(readOnly)) {
      assertThat(file.current()).isEqualTo(Superblocks.busy());
      assertThatThrownBy(() -> file.write(file.current()))
          .isInstanceOfSatisfying(
              StorageException.class,
              e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.ACCESS_DENIED));
    }
  }
}
