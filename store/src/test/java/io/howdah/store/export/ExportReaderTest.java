package io.howdah.store.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.collections.RawCollections.Described;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.ExportLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Exports whose blocks are whole and whose contents no store can have. */
final class ExportReaderTest {

  private static void write(Storage storage, Described structure, int items) {
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.create(StoreExport.FILE)) {
      ByteBuffer block =
          memory.allocate(ExportLayout.PAYLOAD_OFFSET + ExportLayout.MAX_PAYLOAD_BYTES);
      ExportWriter out = new ExportWriter(file, new UUID(1, 2), block);
      out.structure(structure);
      for (int i = 0; i < items; i++) {
        out.item(new byte[0], new byte[Long.BYTES]);
      }
      out.close();
      assertThat(out.end().items()).isEqualTo(items);
    }
  }

  @ParameterizedTest
  @CsvSource({"0,true", "1,true", "2,false", "3,false", "100,false"})
  void aCounterHasOneNumberAtMost(int numbers, boolean isPossible) {
    Storage storage = SimulatedDisk.seeded(1).storage();
    write(storage, new Described("visits", "counter", 0, 0, 0, 0, 0, 0), numbers);
    if (isPossible) {
      assertThat(StoreImport.check(storage).items()).isEqualTo(numbers);
    } else {
      assertThatThrownBy(() -> StoreImport.check(storage))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("the counter \"visits\" has two numbers");
    }
  }
}
