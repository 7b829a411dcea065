package io.howdah.peers;

import io.howdah.jmh.peers.PeerKeys;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Supplier;
import jetbrains.exodus.ArrayByteIterable;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.bindings.LongBinding;
import jetbrains.exodus.bindings.StringBinding;
import jetbrains.exodus.env.Cursor;
import jetbrains.exodus.env.Environment;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.Store;
import jetbrains.exodus.env.StoreConfig;
import org.jspecify.annotations.Nullable;

/** JetBrains Xodus: an environment with one store. */
final class XodusPeer implements Peer, Peer.Session {

  private final Environment environment;
  private final Store store;
  private final PeerKeys keys;

  XodusPeer(Path folder, boolean sync, PeerKeys keys) {
    this.keys = keys;
    environment =
        Environments.newInstance(
            folder.toFile(),
            new EnvironmentConfig().setLogDurableWrite(sync).setManagementEnabled(false));
    store =
        environment.computeInTransaction(
            transaction ->
                environment.openStore("entries", StoreConfig.WITHOUT_DUPLICATES, transaction));
  }

  @Override
  public Session session() {
    return this;
  }

  private ByteIterable key(long number) {
    return switch (keys) {
      case LONG -> LongBinding.longToEntry(number);
      case STRING -> StringBinding.stringToEntry(KeyForm.text(number));
    };
  }

  private static byte[] bytes(ByteIterable value) {
    return Arrays.copyOf(value.getBytesUnsafe(), value.getLength());
  }

  @Override
  public byte @Nullable [] get(long key) {
    return environment.computeInReadonlyTransaction(
        transaction -> {
          ByteIterable found = store.get(transaction, key(key));
          return found == null ? null : bytes(found);
        });
  }

  @Override
  public long scan(long from, int entries) {
    return environment.computeInReadonlyTransaction(
        transaction -> {
          long sum = 0;
          try (Cursor cursor = store.openCursor(transaction)) {
            ByteIterable value = cursor.getSearchKeyRange(key(from));
            for (int left = entries; left > 0 && value != null; left--) {
              sum += keyPart(cursor.getKey()) + KeyForm.part(bytes(value));
              value = cursor.getNext() ? cursor.getValue() : null;
            }
          }
          return sum;
        });
  }

  private long keyPart(ByteIterable found) {
    return switch (keys) {
      case LONG -> KeyForm.part(LongBinding.entryToLong(found));
      case STRING -> KeyForm.part(StringBinding.entryToString(found));
    };
  }

  @Override
  public void put(long[] numbers, byte[][] values, int count) {
    environment.executeInTransaction(
        transaction -> {
          for (int i = 0; i < count; i++) {
            store.put(transaction, key(numbers[i]), new ArrayByteIterable(values[i]));
          }
        });
  }

  @Override
  public void putAscending(long first, long count, Supplier<byte[]> values) {
    environment.executeInTransaction(
        transaction -> {
          for (long number = first; number < first + count; number++) {
            store.putRight(transaction, key(number), new ArrayByteIterable(values.get()));
          }
        });
  }

  @Override
  public void close() {
    environment.close();
  }
}
