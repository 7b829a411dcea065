package io.howdah.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Geometry;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of a journal that is not the one that the superblock names. */
class JournalHeaderTest {

  private static final StoreId ID = new StoreId(1, 2);
  private static final Geometry GEOMETRY = new Geometry(1, 1 << 16, 1 << 18, 1024, 32, 4096);
  private static final CheckpointState STATE =
      new CheckpointState(
          7, 3, 3, 1, CheckpointState.Phase.JOURNALED, 0, 2 * JournalLayout.HEADER_LENGTH, 0);

  private static String problem(ByteBuffer header) {
    Storage storage = SimulatedDisk.seeded(1).storage();
    storage.createDirectory(Journal.DIRECTORY);
    try (StorageFile file = storage.create(Journal.DIRECTORY + "/0")) {
      file.write(0, header);
      file.setSize(2 * JournalLayout.HEADER_LENGTH);
    }
    try (Journal journal = new Journal(storage, ID, GEOMETRY, 0)) {
      CorruptStoreException found =
          catchThrowableOfType(CorruptStoreException.class, () -> journal.read(STATE, _ -> {}));
      assertThat(found.file()).isEqualTo("journal/0");
      assertThat(found.offset()).isZero();
      return String.valueOf(found.getMessage());
    }
  }

  private static ByteBuffer page() {
    return ByteBuffer.allocateDirect(JournalLayout.HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void aHeaderThatIsNoHeaderIsCalledDamaged() {
    assertThat(problem(page())).contains("the header is damaged").doesNotContain("null");
  }

  /** Its checksum is right: such bytes come from no store, but they may be on a disk. */
  @Test
  void aHeaderOfNoStoreIsCalledDamaged() {
    ByteBuffer header = page();
    new JournalHeader(JournalLayout.VERSION, 4096, ID, 7, 3, 0, 0, List.of()).write(header);
    header
        .putLong(JournalLayout.STORE_ID_HIGH_OFFSET, 0)
        .putLong(JournalLayout.STORE_ID_LOW_OFFSET, 0);
    int crc = Crc32c.around(header, JournalLayout.CRC_OFFSET, JournalLayout.HEADER_LENGTH);
    header.putInt(JournalLayout.CRC_OFFSET, crc);
    assertThat(problem(header)).contains("the header is damaged");
  }

  @Test
  void aHeaderOfAnotherCheckpointIsReportedWithTheExpectedOne() {
    ByteBuffer header = page();
    new JournalHeader(JournalLayout.VERSION, 4096, ID, 8, 3, 0, 0, List.of()).write(header);
    assertThat(problem(header)).contains("not of checkpoint 7").contains("checkpoint=8");
  }

  @Test
  void aHeaderWithWitnessesThatLieNowhereHasNone() {
    for (long page : new long[] {-1, 2, Long.MIN_VALUE, Long.MAX_VALUE}) {
      ByteBuffer header = page();
      List<Witness> witnesses = List.of(new Witness(1, 5), new Witness(page, 5));
      new JournalHeader(JournalLayout.VERSION, 4096, ID, 7, 3, 0, 8192, witnesses).write(header);
      Storage storage = SimulatedDisk.seeded(1).storage();
      storage.createDirectory(Journal.DIRECTORY);
      try (StorageFile file = storage.create(Journal.DIRECTORY + "/0")) {
        file.write(0, header);
      }
      try (Journal journal = new Journal(storage, ID, GEOMETRY, 0)) {
        assertThat(journal.witnesses(7)).as("page %d", page).isEmpty();
      }
    }
  }
}
