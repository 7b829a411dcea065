package io.howdah.clients;

import java.io.IOException;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import net.spy.memcached.CASResponse;
import net.spy.memcached.CASValue;
import net.spy.memcached.ConnectionFactoryBuilder;
import net.spy.memcached.MemcachedClient;
import org.jspecify.annotations.Nullable;

/** spymemcached. */
final class SpyClient implements CacheClient {

  private static final Logger LOGGER = Logger.getLogger("net.spy.memcached");

  static {
    // It logs every attempt to connect; a test that kills servers makes many.
    System.setProperty("net.spy.log.LoggerImpl", "net.spy.memcached.compat.log.SunLogger");
    LOGGER.setLevel(Level.OFF);
  }

  private final MemcachedClient client;
  private final boolean isBinary;

  SpyClient(boolean isBinary, int port) throws IOException {
    this.isBinary = isBinary;
    this.client =
        new MemcachedClient(
            builder(isBinary).build(),
            List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
  }

  /** Returns the settings that all tests of this client share. */
  static ConnectionFactoryBuilder builder(boolean isBinary) {
    return new ConnectionFactoryBuilder()
        .setProtocol(
            isBinary
                ? ConnectionFactoryBuilder.Protocol.BINARY
                : ConnectionFactoryBuilder.Protocol.TEXT)
        .setDaemon(true)
        .setMaxReconnectDelay(1)
        .setOpTimeout(TimeUnit.SECONDS.toMillis(Await.SECONDS));
  }

  private static <T> T of(Future<T> reply) throws Exception {
    return reply.get(Await.SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public boolean set(String key, int expirySeconds, String value) throws Exception {
    return of(client.set(key, expirySeconds, value));
  }

  @Override
  public Future<Boolean> setLater(String key, String value) {
    return client.set(key, 0, value);
  }

  @Override
  public boolean add(String key, String value) throws Exception {
    return of(client.add(key, 0, value));
  }

  @Override
  public boolean replace(String key, String value) throws Exception {
    return of(client.replace(key, 0, value));
  }

  @Override
  public boolean append(String key, String value) throws Exception {
    return of(client.append(key, value));
  }

  @Override
  public boolean prepend(String key, String value) throws Exception {
    return of(client.prepend(key, value));
  }

  @Override
  public boolean cas(String key, String value, long cas) {
    return client.cas(key, cas, value) == CASResponse.OK;
  }

  @Override
  public @Nullable String get(String key) {
    return (String) client.get(key);
  }

  @Override
  @SuppressWarnings({"unchecked", "rawtypes"}) // its replies are objects
  public Future<@Nullable String> getLater(String key) {
    return (Future) client.asyncGet(key);
  }

  @Override
  public @Nullable Versioned gets(String key) {
    CASValue<Object> found = client.gets(key);
    return found == null ? null : new Versioned((String) found.getValue(), found.getCas());
  }

  @Override
  public Map<String, String> getAll(Collection<String> keys) {
    Map<String, String> found = new TreeMap<>();
    client.getBulk(keys).forEach((key, value) -> found.put(key, (String) value));
    return found;
  }

  @Override
  public long increment(String key, long by) {
    return client.incr(key, by);
  }

  @Override
  public long decrement(String key, long by) {
    return client.decr(key, by);
  }

  @Override
  public boolean touch(String key, int expirySeconds) throws Exception {
    return of(client.touch(key, expirySeconds));
  }

  @Override
  public boolean getsAndTouches() {
    return isBinary;
  }

  @Override
  public @Nullable String getAndTouch(String key, int expirySeconds) {
    CASValue<Object> found = client.getAndTouch(key, expirySeconds);
    return found == null ? null : (String) found.getValue();
  }

  @Override
  public boolean delete(String key) throws Exception {
    return of(client.delete(key));
  }

  @Override
  public boolean flush() throws Exception {
    return of(client.flush());
  }

  @Override
  public Map<String, String> statistics() {
    return client.getStats().values().iterator().next();
  }

  @Override
  public boolean setObject(String key, Serializable value) throws Exception {
    return of(client.set(key, 0, value));
  }

  @Override
  public @Nullable Object getObject(String key) {
    return client.get(key);
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
