package io.howdah.server.watch;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells watchers what happens on one connection. Thread-safe. */
public final class ConnectionEvents {

  /** What a command has found under a key. */
  public enum Found {
    /** No item. */
    NOT_FOUND,
    /** An item. */
    FOUND,
    /** An item that a flush has taken. */
    FLUSHED,
    /** An item that has expired. */
    EXPIRED;

    private final String word = name().toLowerCase(Locale.ROOT);
  }

  /** Why a connection was closed. */
  public enum CloseReason {
    /** The client does not obey the protocol, its time is over, or the connection broke. */
    ERROR,
    /** The client has left, or has asked for it. */
    NORMAL,
    /** The client was silent for too long. */
    IDLE_TIMEOUT,
    /** The server stops. */
    SHUTDOWN;

    private final String word = name().toLowerCase(Locale.ROOT);
  }

  private final Watchers watchers;
  private final long id;

  ConnectionEvents(Watchers watchers, long id) {
    this.watchers = watchers;
    this.id = id;
  }

  /** Returns the number of the connection, which its events have as {@code cfd}. */
  public long id() {
    return id;
  }

  /** Lets the client watch; returns null if too many do. */
  public @Nullable Watcher watch(Set<EventKind> kinds) {
    return watchers.add(kinds);
  }

  /** Returns whether somebody watches events of a kind. */
  public boolean isWatched(EventKind kind) {
    return watchers.isWatched(kind);
  }

  /** Tells that a command has looked for an item, to read or to change it. */
  public void fetched(byte[] key, Found found, int valueBytes) {
    EventLine line = watchers.begin(EventKind.FETCHERS, "item_get");
    if (line != null) {
      line.key(key).word("status", found.word);
      line.word("clsid", found == Found.FOUND ? "1" : "0").number("cfd", id);
      line.number("size", valueBytes);
      watchers.tell(EventKind.FETCHERS, line);
    }
  }

  /**
   * Tells that a command has stored an item, or was refused.
   *
   * @param status {@code stored}, or why it was not
   * @param command its name
   * @param secondsLeft until the item expires; 0 if it does not
   */
  public void stored(byte[] key, String status, String command, long secondsLeft, int valueBytes) {
    EventLine line = watchers.begin(EventKind.MUTATIONS, "item_store");
    if (line != null) {
      line.key(key).word("status", status).word("cmd", command).number("ttl", secondsLeft);
      line.word("clsid", "1").number("cfd", id).number("size", valueBytes);
      watchers.tell(EventKind.MUTATIONS, line);
    }
  }

  /** Tells that the connection was opened. */
  public void opened(@Nullable SocketAddress remote) {
    EventLine line = watchers.begin(EventKind.CONNEVENTS, "conn_new");
    if (line != null) {
      watchers.tell(EventKind.CONNEVENTS, peer(line, remote).number("cfd", id));
    }
  }

  /** Tells that the connection was closed. */
  public void closed(@Nullable SocketAddress remote, CloseReason reason) {
    EventLine line = watchers.begin(EventKind.CONNEVENTS, "conn_close");
    if (line != null) {
      peer(line, remote).word("reason", reason.word).number("cfd", id);
      watchers.tell(EventKind.CONNEVENTS, line);
    }
  }

  private static EventLine peer(EventLine line, @Nullable SocketAddress remote) {
    boolean isTcp = remote instanceof InetSocketAddress;
    String host = "unix";
    int port = 0;
    if (remote instanceof InetSocketAddress address && address.getAddress() != null) {
      host = address.getAddress().getHostAddress();
      port = address.getPort();
    }
    return line.word("rip", host).number("rport", port).word("transport", isTcp ? "tcp" : "local");
  }
}
