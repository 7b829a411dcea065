package io.howdah.peers;

import static org.lmdbjava.EnvFlags.MDB_NOSYNC;
import static org.lmdbjava.SeekOp.MDB_NEXT;

import io.howdah.jmh.peers.PeerKeys;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;

/** LMDB. A session keeps one read transaction and renews it, as its documents advise. */
final class LmdbPeer implements Peer {

  private static final int MAX_READERS = 256;

  private final Env<ByteBuffer> env;
  private final Dbi<ByteBuffer> entries;
  private final PeerKeys keys;

  LmdbPeer(Path folder, boolean sync, long maxBytes, PeerKeys keys) {
    this.keys = keys;
    env =
        Env.create()
            .setMapSize(maxBytes)
            .setMaxDbs(1)
            .setMaxReaders(MAX_READERS)
            .open(folder.toFile(), sync ? new EnvFlags[0] : new EnvFlags[] {MDB_NOSYNC});
    entries = env.openDbi("entries", DbiFlags.MDB_CREATE);
  }

  @Override
  public Session session() {
    return new LmdbSession();
  }

  private final class LmdbSession implements Session {
    private final ByteBuffer key =
        ByteBuffer.allocateDirect(keys.bytes()).order(ByteOrder.BIG_ENDIAN);
    private ByteBuffer value = ByteBuffer.allocateDirect(1 << 12);
    private @Nullable Txn<ByteBuffer> reading;

    private Txn<ByteBuffer> read() {
      Txn<ByteBuffer> transaction = reading;
      if (transaction == null) {
        transaction = env.txnRead();
        reading = transaction;
      } else {
        transaction.renew();
      }
      return transaction;
    }

    private ByteBuffer keyOf(long number) {
      key.clear();
      switch (keys) {
        case LONG -> key.putLong(number ^ Long.MIN_VALUE);
        case STRING -> key.put(KeyForm.bytes(keys, number));
      }
      return key.flip();
    }

    private static byte[] bytes(ByteBuffer found) {
      byte[] bytes = new byte[found.remaining()];
      found.get(bytes);
      return bytes;
    }

    @Override
    public byte @Nullable [] get(long number) {
      Txn<ByteBuffer> transaction = read();
      ByteBuffer found = entries.get(transaction, keyOf(number));
      byte[] bytes = found == null ? null : bytes(found);
      transaction.reset();
      return bytes;
    }

    @Override
    public long scan(long from, int count) {
      Txn<ByteBuffer> transaction = read();
      long sum = 0;
      try (Cursor<ByteBuffer> cursor = entries.openCursor(transaction)) {
        boolean has = cursor.get(keyOf(from), GetOp.MDB_SET_RANGE);
        for (int left = count; left > 0 && has; left--) {
          sum += keyPart(cursor.key()) + KeyForm.part(bytes(cursor.val()));
          has = cursor.seek(MDB_NEXT);
        }
      }
      transaction.reset();
      return sum;
    }

    private long keyPart(ByteBuffer found) {
      return switch (keys) {
        case LONG -> KeyForm.part(found.order(ByteOrder.BIG_ENDIAN).getLong(0) ^ Long.MIN_VALUE);
        case STRING -> KeyForm.part(keys, bytes(found));
      };
    }

    @Override
    public void put(long[] numbers, byte[][] values, int count) {
      try (Txn<ByteBuffer> transaction = env.txnWrite()) {
        for (int i = 0; i < count; i++) {
          if (value.capacity() < values[i].length) {
            value = ByteBuffer.allocateDirect(values[i].length);
          }
          entries.put(transaction, keyOf(numbers[i]), value.clear().put(values[i]).flip());
        }
        transaction.commit();
      }
    }

    @Override
    public void putAscending(long first, long count, Supplier<byte[]> values) {
      try (Txn<ByteBuffer> transaction = env.txnWrite()) {
        for (long number = first; number < first + count; number++) {
          byte[] bytes = values.get();
          if (value.capacity() < bytes.length) {
            value = ByteBuffer.allocateDirect(bytes.length);
          }
          ByteBuffer filled = value.clear().put(bytes).flip();
          entries.put(transaction, keyOf(number), filled, PutFlags.MDB_APPEND);
        }
        transaction.commit();
      }
    }

    @Override
    public void release() {
      if (reading != null) {
        reading.close();
        reading = null;
      }
    }
  }

  /** Without flags each commit was forced; otherwise this makes the close a clean one. */
  @Override
  public void close() {
    env.sync(true);
    env.close();
  }
}
