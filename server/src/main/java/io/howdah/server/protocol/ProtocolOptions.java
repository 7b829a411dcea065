package io.howdah.server.protocol;

import org.jspecify.annotations.Nullable;

/**
 * What a session accepts.
 *
 * @param maxItemBytes the largest item, with its key and {@link #ITEM_OVERHEAD_BYTES}
 * @param flushAllowed whether {@code flush_all} is obeyed
 * @param version what {@code version} replies
 * @param wireProtocol which protocols a connection may speak
 * @param dumpAllowed whether clients may list keys
 * @param shutdownAllowed whether {@code shutdown} is obeyed
 * @param debugTimeAllowed whether {@code debugtime} is a command; for tests
 * @param watchAllowed whether clients may watch what the server does
 * @param authenticator decides who may run commands; null for everybody
 */
public record ProtocolOptions(
    int maxItemBytes,
    boolean flushAllowed,
    String version,
    WireProtocol wireProtocol,
    boolean dumpAllowed,
    boolean shutdownAllowed,
    boolean debugTimeAllowed,
    boolean watchAllowed,
    @Nullable Authenticator authenticator) {

  /** The longest key. */
  public static final int MAX_KEY_BYTES = 250;

  /** What memcached's own header takes of the largest item's size. */
  public static final int ITEM_OVERHEAD_BYTES = 50;

  /** memcached's default of the largest item. */
  public static final int DEFAULT_MAX_ITEM_BYTES = 1 << 20;

  /** The largest that may be asked for. */
  public static final int MAX_MAX_ITEM_BYTES = 1 << 30;

  /** Checks the limits. */
  public ProtocolOptions {
    if (maxItemBytes < 1024 || maxItemBytes > MAX_MAX_ITEM_BYTES) {
      throw new IllegalArgumentException(
          "the largest item has 1024 to " + MAX_MAX_ITEM_BYTES + " bytes, not " + maxItemBytes);
    }
  }

  /** Returns options for both protocols and everybody, without commands that tests need. */
  public ProtocolOptions(int maxItemBytes, boolean flushAllowed, String version) {
    this(maxItemBytes, flushAllowed, version, WireProtocol.AUTO, true, false, false, true, null);
  }

  /** Returns these options with other protocols. */
  public ProtocolOptions withWireProtocol(WireProtocol protocol) {
    return new ProtocolOptions(
        maxItemBytes,
        flushAllowed,
        version,
        protocol,
        dumpAllowed,
        shutdownAllowed,
        debugTimeAllowed,
        watchAllowed,
        authenticator);
  }

  /** Returns these options with keys listed or not. */
  public ProtocolOptions withDumpAllowed(boolean allowed) {
    return new ProtocolOptions(
        maxItemBytes,
        flushAllowed,
        version,
        wireProtocol,
        allowed,
        shutdownAllowed,
        debugTimeAllowed,
        watchAllowed,
        authenticator);
  }

  /** Returns these options with {@code shutdown} obeyed or not. */
  public ProtocolOptions withShutdownAllowed(boolean allowed) {
    return new ProtocolOptions(
        maxItemBytes,
        flushAllowed,
        version,
        wireProtocol,
        dumpAllowed,
        allowed,
        debugTimeAllowed,
        watchAllowed,
        authenticator);
  }

  /** Returns these options with {@code debugtime} as a command or not. */
  public ProtocolOptions withDebugTimeAllowed(boolean allowed) {
    return new ProtocolOptions(
        maxItemBytes,
        flushAllowed,
        version,
        wireProtocol,
        dumpAllowed,
        shutdownAllowed,
        allowed,
        watchAllowed,
        authenticator);
  }

  /** Returns these options with {@code watch} obeyed or not. */
  public ProtocolOptions withWatchAllowed(boolean allowed) {
    return new ProtocolOptions(
        maxItemBytes,
        flushAllowed,
        version,
        wireProtocol,
        dumpAllowed,
        shutdownAllowed,
        debugTimeAllowed,
        allowed,
        authenticator);
  }

  /** Returns these options with authentication, or without for null. */
  public ProtocolOptions withAuthenticator(@Nullable Authenticator authenticator) {
    return new ProtocolOptions(
        maxItemBytes,
        flushAllowed,
        version,
        wireProtocol,
        dumpAllowed,
        shutdownAllowed,
        debugTimeAllowed,
        watchAllowed,
        authenticator);
  }

  public boolean fits(int keyBytes, long valueBytes) {
    return keyBytes + valueBytes + ITEM_OVERHEAD_BYTES <= maxItemBytes;
  }
}
