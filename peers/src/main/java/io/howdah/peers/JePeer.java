package io.howdah.peers;

import com.sleepycat.je.Cursor;
import com.sleepycat.je.CursorConfig;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Durability;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.LockConflictException;
import com.sleepycat.je.LockMode;
import com.sleepycat.je.OperationStatus;
import com.sleepycat.je.Transaction;
import io.howdah.jmh.peers.PeerKeys;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Oracle Berkeley DB Java Edition. */
final class JePeer implements Peer, Peer.Session {

  private final Environment environment;
  private final Database database;
  private final PeerKeys keys;

  JePeer(Path folder, boolean sync, PeerKeys keys) {
    this.keys = keys;
    EnvironmentConfig config = new EnvironmentConfig();
    config.setAllowCreate(true);
    config.setTransactional(true);
    config.setDurability(sync ? Durability.COMMIT_SYNC : Durability.COMMIT_WRITE_NO_SYNC);
    environment = new Environment(folder.toFile(), config);
    DatabaseConfig how = new DatabaseConfig();
    how.setAllowCreate(true);
    how.setTransactional(true);
    database = environment.openDatabase(null, "entries", how);
  }

  private DatabaseEntry key(long number) {
    return new DatabaseEntry(KeyForm.bytes(keys, number));
  }

  @Override
  public Session session() {
    return this;
  }

  @Override
  public byte @Nullable [] get(long number) {
    DatabaseEntry found = new DatabaseEntry();
    OperationStatus status = database.get(null, key(number), found, LockMode.READ_COMMITTED);
    return status == OperationStatus.SUCCESS ? found.getData() : null;
  }

  @Override
  public long scan(long from, int entries) {
    DatabaseEntry key = key(from);
    DatabaseEntry found = new DatabaseEntry();
    long sum = 0;
    try (Cursor cursor = database.openCursor(null, CursorConfig.READ_COMMITTED)) {
      OperationStatus status = cursor.getSearchKeyRange(key, found, LockMode.DEFAULT);
      for (int left = entries; left > 0 && status == OperationStatus.SUCCESS; left--) {
        sum += KeyForm.part(keys, key.getData()) + KeyForm.part(found.getData());
        status = cursor.getNext(key, found, LockMode.DEFAULT);
      }
    }
    return sum;
  }

  /** Transactions that lock the same keys in another order are repeated, as Howdah's are. */
  @Override
  public void put(long[] numbers, byte[][] values, int count) {
    while (true) {
      Transaction transaction = environment.beginTransaction(null, null);
      try {
        for (int i = 0; i < count; i++) {
          database.put(transaction, key(numbers[i]), new DatabaseEntry(values[i]));
        }
        transaction.commit();
        return;
      } catch (LockConflictException _) {
        transaction.abort();
      }
    }
  }

  @Override
  public void close() {
    database.close();
    environment.close();
  }
}
