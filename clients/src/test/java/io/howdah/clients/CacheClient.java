package io.howdah.clients;

import java.io.IOException;
import java.io.Serializable;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** What the clients have in common. Values are stored with each client's own defaults. */
interface CacheClient extends AutoCloseable {

  /** A value with its CAS value. */
  record Versioned(String value, long cas) {}

  boolean set(String key, int expirySeconds, String value) throws Exception;

  /** Sends without waiting for the reply. */
  Future<Boolean> setLater(String key, String value) throws Exception;

  boolean add(String key, String value) throws Exception;

  boolean replace(String key, String value) throws Exception;

  boolean append(String key, String value) throws Exception;

  boolean prepend(String key, String value) throws Exception;

  boolean cas(String key, String value, long cas) throws Exception;

  @Nullable String get(String key) throws Exception;

  /** Sends without waiting for the reply. */
  Future<@Nullable String> getLater(String key) throws Exception;

  @Nullable Versioned gets(String key) throws Exception;

  Map<String, String> getAll(Collection<String> keys) throws Exception;

  /** Returns the new value, or -1 if there was none to change. */
  long increment(String key, long by) throws Exception;

  /** Returns the new value, or -1 if there was none to change. */
  long decrement(String key, long by) throws Exception;

  boolean touch(String key, int expirySeconds) throws Exception;

  /** Returns whether the client has {@link #getAndTouch} in its protocol. */
  boolean getsAndTouches();

  @Nullable String getAndTouch(String key, int expirySeconds) throws Exception;

  boolean delete(String key) throws Exception;

  boolean flush() throws Exception;

  Map<String, String> statistics() throws Exception;

  boolean setObject(String key, Serializable value) throws Exception;

  @Nullable Object getObject(String key) throws Exception;

  @Override
  void close() throws IOException;
}
