package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Item;
import io.howdah.testkit.disk.ForwardingRegion;
import io.howdah.testkit.disk.SimulatedDisk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The image grows until its file system has no memory for more pages, as on a tmpfs. Commands that
 * need one are refused like those of a full store; all others go on.
 */
final class UnavailablePagesTest {

  private static final int CHUNK_BYTES = 1000;

  private volatile long firstUnavailable = Long.MAX_VALUE;

  private final Store store =
      Store.open(
          StoreOptions.defaults()
              .withMaxSize(32 << 20)
              .withPartitions(1)
              .withRingBytes(1 << 18)
              .withLogSegmentBytes(1 << 20)
              .withStorage(limited(SimulatedDisk.builder(5).build().storage())));

  private ConnectionCache cache = connect(true);

  @AfterEach
  void close() {
    firstUnavailable = Long.MAX_VALUE;
    store.close();
  }

  private ConnectionCache connect(boolean evicts) {
    return new ItemStore(
            store,
            new ItemStoreOptions(16 << 20, evicts, null, () -> 1_700_000_000),
            Numbering.RANGE,
            CHUNK_BYTES)
        .connect();
  }

  /** A storage whose image has no memory from some page on. */
  private Storage limited(Storage storage) {
    return (Storage)
        Proxy.newProxyInstance(
            Storage.class.getClassLoader(),
            new Class<?>[] {Storage.class},
            (_, method, arguments) -> {
              try {
                Object result = method.invoke(storage, arguments);
                return result instanceof Region memory && method.getName().equals("mapPrivate")
                    ? new Limited(memory)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private final class Limited extends ForwardingRegion {
    Limited(Region memory) {
      super(memory);
    }

    private void require(long address) {
      if (address >= firstUnavailable) {
        throw new InternalError("a fault occurred in an unsafe memory access operation");
      }
    }

    @Override
    public long getLong(long address) {
      require(address);
      return super.getLong(address);
    }

    @Override
    public void setLong(long address, long value) {
      require(address);
      super.setLong(address, value);
    }

    @Override
    public long getLongOpaque(long address) {
      require(address);
      return super.getLongOpaque(address);
    }

    @Override
    public void setLongOpaque(long address, long value) {
      require(address);
      super.setLongOpaque(address, value);
    }

    @Override
    public long getLongAcquire(long address) {
      require(address);
      return super.getLongAcquire(address);
    }

    @Override
    public long getLongVolatile(long address) {
      require(address);
      return super.getLongVolatile(address);
    }
  }

  private static byte[] key(String key) {
    return key.getBytes(StandardCharsets.US_ASCII);
  }

  private void put(String key, int length) {
    cache.update(key(key), _ -> new Item(0, 0, Item.NEW_CAS, 0, new byte[length]));
  }

  private boolean has(String key) {
    return cache.peek(key(key)) != null;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatNeedsAPageThatCannotBeHadIsRefusedAndAllElseGoesOn(boolean evicts) {
    cache = connect(evicts);
    put("first", 100);
    // Pages for items of these lengths, which have room for more.
    put("second", 50);
    put("third", 60);
    firstUnavailable = store.admin().stats().allocatedBytes() + (1 << 20) & -4096;
    int[] stored = {0};
    assertThatThrownBy(
            () -> {
              for (; stored[0] < 1000; stored[0]++) {
                put("large%03d".formatted(stored[0]), 60_000);
              }
            })
        .isInstanceOf(CacheFullException.class)
        .hasMessageContaining("is not available");
    assertThat(stored[0]).isBetween(1, 100);
    assertThat(has("first")).isTrue();
    assertThat(has("large%03d".formatted(stored[0]))).isFalse();
    put("first", 50);
    put("first", 60);
    assertThat(has("large%03d".formatted(stored[0] - 1))).isTrue();
    firstUnavailable = Long.MAX_VALUE;
    put("later", 60_000);
    assertThat(has("later")).isTrue();
  }
}
