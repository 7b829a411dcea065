package io.howdah.peers;

import io.howdah.jmh.peers.PeerKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileWriter;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** RocksDB. A batch is atomic; its reads are not part of a transaction. */
final class RocksPeer implements Peer, Peer.Session {

  private static final long CACHE_BYTES = 256L << 20;
  private static final int FILTER_BITS = 10;

  private final Path folder;
  private final Options options;
  private final RocksDB db;
  private final WriteOptions how;
  private final PeerKeys keys;

  RocksPeer(Path folder, boolean sync, PeerKeys keys) throws RocksDBException {
    this.keys = keys;
    this.folder = folder;
    RocksDB.loadLibrary();
    options =
        new Options()
            .setCreateIfMissing(true)
            .setCompressionType(CompressionType.NO_COMPRESSION)
            .setTableFormatConfig(
                new BlockBasedTableConfig()
                    .setBlockCache(new LRUCache(CACHE_BYTES))
                    .setFilterPolicy(new BloomFilter(FILTER_BITS)));
    db = RocksDB.open(options, folder.toString());
    how = new WriteOptions().setSync(sync);
  }

  private byte[] key(long number) {
    return KeyForm.bytes(keys, number);
  }

  @Override
  public Session session() {
    return this;
  }

  @Override
  public byte @Nullable [] get(long number) throws RocksDBException {
    return db.get(key(number));
  }

  @Override
  public long scan(long from, int entries) {
    long sum = 0;
    try (RocksIterator found = db.newIterator()) {
      found.seek(key(from));
      for (int left = entries; left > 0 && found.isValid(); left--) {
        sum += KeyForm.part(keys, found.key()) + KeyForm.part(found.value());
        found.next();
      }
    }
    return sum;
  }

  @Override
  public void put(long[] numbers, byte[][] values, int count) throws RocksDBException {
    if (count == 1) {
      db.put(how, key(numbers[0]), values[0]);
      return;
    }
    try (WriteBatch batch = new WriteBatch()) {
      for (int i = 0; i < count; i++) {
        batch.put(key(numbers[i]), values[i]);
      }
      db.write(how, batch);
    }
  }

  @Override
  public void putAscending(long first, long count, Supplier<byte[]> values)
      throws RocksDBException {
    String file = folder.resolve("bulk-" + first + ".sst").toString();
    try (EnvOptions environment = new EnvOptions();
        SstFileWriter writer = new SstFileWriter(environment, options);
        IngestExternalFileOptions moving = new IngestExternalFileOptions().setMoveFiles(true)) {
      writer.open(file);
      for (long number = first; number < first + count; number++) {
        writer.put(key(number), values.get());
      }
      writer.finish();
      db.ingestExternalFile(List.of(file), moving);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      db.syncWal();
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
    db.close();
    how.close();
    options.close();
  }
}
