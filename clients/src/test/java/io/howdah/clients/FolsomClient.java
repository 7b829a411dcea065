package io.howdah.clients;

import com.spotify.folsom.AsciiMemcacheClient;
import com.spotify.folsom.BinaryMemcacheClient;
import com.spotify.folsom.ConnectFuture;
import com.spotify.folsom.GetResult;
import com.spotify.folsom.MemcacheClient;
import com.spotify.folsom.MemcacheClientBuilder;
import com.spotify.folsom.MemcacheStatus;
import com.spotify.folsom.MemcachedStats;
import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** folsom. One client for strings and one for objects: it has one kind of value each. */
final class FolsomClient implements CacheClient {

  private static final int MAX_VALUE_BYTES = 1 << 20;
  private static final int MAX_OUTSTANDING = 10_000;
  private static final Long NOTHING_CHANGED = -1L;
  private static final long RECONNECT_MILLIS = 100;

  private final MemcacheClient<String> strings;
  private final MemcacheClient<Serializable> objects;
  private final Counting counting;

  private interface Counting {
    CompletionStage<Long> change(String key, long by, boolean adds);
  }

  private FolsomClient(
      MemcacheClient<String> strings, MemcacheClient<Serializable> objects, Counting counting) {
    this.strings = strings;
    this.objects = objects;
    this.counting = counting;
  }

  static FolsomClient ascii(int port) throws Exception {
    AsciiMemcacheClient<String> strings =
        with(MemcacheClientBuilder.newStringClient(), port).connectAscii();
    return new FolsomClient(
            strings,
            with(MemcacheClientBuilder.<Serializable>newSerializableObjectClient(), port)
                .connectAscii(),
            (key, by, adds) -> adds ? strings.incr(key, by) : strings.decr(key, by))
        .connected();
  }

  static FolsomClient binary(int port) throws Exception {
    BinaryMemcacheClient<String> strings =
        with(MemcacheClientBuilder.newStringClient(), port).connectBinary();
    return new FolsomClient(
            strings,
            with(MemcacheClientBuilder.<Serializable>newSerializableObjectClient(), port)
                .connectBinary(),
            (key, by, adds) ->
                strings
                    .get(key)
                    .thenCompose(
                        found -> { // the client has no command that leaves a missing item alone
                          if (found == null) {
                            return CompletableFuture.completedStage(NOTHING_CHANGED);
                          }
                          return adds ? strings.incr(key, by, 0, 0) : strings.decr(key, by, 0, 0);
                        }))
        .connected();
  }

  private static <T> MemcacheClientBuilder<T> with(MemcacheClientBuilder<T> builder, int port) {
    return builder
        .withAddress("127.0.0.1", port)
        .withMaxSetLength(MAX_VALUE_BYTES)
        .withMaxOutstandingRequests(MAX_OUTSTANDING)
        .withConnectionTimeoutMillis(TimeUnit.SECONDS.toMillis(Await.SECONDS))
        .withBackoff(_ -> RECONNECT_MILLIS);
  }

  private FolsomClient connected() throws Exception {
    of(ConnectFuture.connectFuture(strings));
    of(ConnectFuture.connectFuture(objects));
    return this;
  }

  private static <T> T of(CompletionStage<T> reply) throws Exception {
    return reply.toCompletableFuture().get(Await.SECONDS, TimeUnit.SECONDS);
  }

  private static boolean isDone(CompletionStage<MemcacheStatus> reply) throws Exception {
    return of(reply) == MemcacheStatus.OK;
  }

  @Override
  public boolean set(String key, int expirySeconds, String value) throws Exception {
    return isDone(strings.set(key, value, expirySeconds));
  }

  @Override
  public Future<Boolean> setLater(String key, String value) {
    return strings
        .set(key, value, 0)
        .thenApply(status -> status == MemcacheStatus.OK)
        .toCompletableFuture();
  }

  @Override
  public boolean add(String key, String value) throws Exception {
    return isDone(strings.add(key, value, 0));
  }

  @Override
  public boolean replace(String key, String value) throws Exception {
    return isDone(strings.replace(key, value, 0));
  }

  @Override
  public boolean append(String key, String value) throws Exception {
    return isDone(strings.append(key, value));
  }

  @Override
  public boolean prepend(String key, String value) throws Exception {
    return isDone(strings.prepend(key, value));
  }

  @Override
  public boolean cas(String key, String value, long cas) throws Exception {
    return isDone(strings.set(key, value, 0, cas));
  }

  @Override
  public @Nullable String get(String key) throws Exception {
    return of(strings.get(key));
  }

  @Override
  public Future<@Nullable String> getLater(String key) {
    return strings.get(key).toCompletableFuture();
  }

  @Override
  public @Nullable Versioned gets(String key) throws Exception {
    GetResult<String> found = of(strings.casGet(key));
    return found == null ? null : new Versioned(found.getValue(), found.getCas());
  }

  @Override
  public Map<String, String> getAll(Collection<String> keys) throws Exception {
    return of(strings.getAsMap(List.copyOf(keys)));
  }

  @Override
  public long increment(String key, long by) throws Exception {
    Long result = of(counting.change(key, by, true));
    return result == null ? NOTHING_CHANGED : result;
  }

  @Override
  public long decrement(String key, long by) throws Exception {
    Long result = of(counting.change(key, by, false));
    return result == null ? NOTHING_CHANGED : result;
  }

  @Override
  public boolean touch(String key, int expirySeconds) throws Exception {
    return isDone(strings.touch(key, expirySeconds));
  }

  @Override
  public boolean getsAndTouches() {
    return strings instanceof BinaryMemcacheClient;
  }

  @Override
  public @Nullable String getAndTouch(String key, int expirySeconds) throws Exception {
    return of(((BinaryMemcacheClient<String>) strings).getAndTouch(key, expirySeconds));
  }

  @Override
  public boolean delete(String key) throws Exception {
    return isDone(strings.delete(key));
  }

  @Override
  public boolean flush() throws Exception {
    return isDone(strings.flushAll(0));
  }

  @Override
  public Map<String, String> statistics() throws Exception {
    Map<String, MemcachedStats> all = of(strings.getStats(""));
    return all.values().iterator().next().getStats();
  }

  @Override
  public boolean setObject(String key, Serializable value) throws Exception {
    return isDone(objects.set(key, value, 0));
  }

  @Override
  public @Nullable Object getObject(String key) throws Exception {
    return of(objects.get(key));
  }

  @Override
  public void close() {
    strings.shutdown();
    objects.shutdown();
  }
}
