package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreFailedException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a store that stops says in the program's log. */
final class StopMessageTest {

  @RegisterExtension private final HeardMessages heard = new HeardMessages("io.howdah.txn");

  @Test
  void aStoreThatStopsSaysSoOnceWithTheCause() throws Exception {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    StoreOptions options =
        StoreOptions.defaults().withMaxSize(1 << 20).withOrecs(1 << 10).withStorage(disk.storage());
    Store store = Store.open(options);
    disk.inject(Fault.onNth(Operation.FORCE, 1).with(Reason.IO).forEver());
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> store.run(TxOptions.sync(), tx -> tx.root(0, tx.allocate(8))))
          .isInstanceOf(StoreFailedException.class);
    }
    LogRecord said = heard.next();
    assertThat(said.getLevel()).isEqualTo(Level.SEVERE);
    assertThat(said.getMessage())
        .contains(disk.storage().describe(), "has stopped", "FORCE", "open it again");
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
    assertThat(heard.rest()).isEmpty();
  }
}
