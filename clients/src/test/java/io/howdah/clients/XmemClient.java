package io.howdah.clients;

import java.io.IOException;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import net.rubyeye.xmemcached.GetsResponse;
import net.rubyeye.xmemcached.MemcachedClient;
import net.rubyeye.xmemcached.MemcachedClientBuilder;
import net.rubyeye.xmemcached.XMemcachedClientBuilder;
import net.rubyeye.xmemcached.command.BinaryCommandFactory;
import org.jspecify.annotations.Nullable;

/** xmemcached. Its replies are awaited on the thread that asks, so many threads make a bulk. */
final class XmemClient implements CacheClient {

  private static final int THREADS = 64;
  private static final long HEAL_MILLIS = 200;

  private final MemcachedClient client;
  private final boolean isBinary;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, Thread.ofPlatform().daemon().factory());

  XmemClient(boolean isBinary, int port) throws IOException {
    this.isBinary = isBinary;
    MemcachedClientBuilder builder =
        new XMemcachedClientBuilder(
            List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    if (isBinary) {
      builder.setCommandFactory(new BinaryCommandFactory());
    }
    builder.setOpTimeout(TimeUnit.SECONDS.toMillis(Await.SECONDS));
    builder.setHealSessionInterval(HEAL_MILLIS);
    this.client = builder.build();
  }

  @Override
  public boolean set(String key, int expirySeconds, String value) throws Exception {
    return client.set(key, expirySeconds, value);
  }

  @Override
  public Future<Boolean> setLater(String key, String value) {
    return threads.submit(() -> client.set(key, 0, value));
  }

  @Override
  public boolean add(String key, String value) throws Exception {
    return client.add(key, 0, value);
  }

  @Override
  public boolean replace(String key, String value) throws Exception {
    return client.replace(key, 0, value);
  }

  @Override
  public boolean append(String key, String value) throws Exception {
    return client.append(key, value);
  }

  @Override
  public boolean prepend(String key, String value) throws Exception {
    return client.prepend(key, value);
  }

  @Override
  public boolean cas(String key, String value, long cas) throws Exception {
    return client.cas(key, 0, value, cas);
  }

  @Override
  public @Nullable String get(String key) throws Exception {
    return client.get(key);
  }

  @Override
  public Future<@Nullable String> getLater(String key) {
    return threads.submit(() -> client.get(key));
  }

  @Override
  public @Nullable Versioned gets(String key) throws Exception {
    GetsResponse<String> found = client.gets(key);
    return found == null ? null : new Versioned(found.getValue(), found.getCas());
  }

  @Override
  public Map<String, String> getAll(Collection<String> keys) throws Exception {
    return client.get(keys);
  }

  @Override
  public long increment(String key, long by) throws Exception {
    return change(key, by, true);
  }

  @Override
  public long decrement(String key, long by) throws Exception {
    return change(key, by, false);
  }

  /** The client stores a first value where none is. */
  private long change(String key, long by, boolean adds) throws Exception {
    if (client.get(key) == null) {
      return -1;
    }
    return adds ? client.incr(key, by) : client.decr(key, by);
  }

  @Override
  public boolean touch(String key, int expirySeconds) throws Exception {
    return client.touch(key, expirySeconds);
  }

  @Override
  public boolean getsAndTouches() {
    return isBinary;
  }

  @Override
  public @Nullable String getAndTouch(String key, int expirySeconds) throws Exception {
    return client.getAndTouch(key, expirySeconds);
  }

  @Override
  public boolean delete(String key) throws Exception {
    return client.delete(key);
  }

  @Override
  public boolean flush() throws Exception {
    client.flushAll();
    return true;
  }

  @Override
  public Map<String, String> statistics() throws Exception {
    return client.getStats().values().iterator().next();
  }

  @Override
  public boolean setObject(String key, Serializable value) throws Exception {
    return client.set(key, 0, value);
  }

  @Override
  public @Nullable Object getObject(String key) throws Exception {
    return client.get(key);
  }

  @Override
  public void close() throws IOException {
    client.shutdown();
    threads.shutdownNow();
  }
}
