package io.howdah.jmh.ycsb;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * YCSB's client on a server that speaks memcached's text protocol. A record is one item, whose
 * value holds all fields. An update of some fields reads the item, and stores it with {@code cas},
 * again if another client was faster. For one thread, as YCSB has one for each of its own.
 *
 * <p>Properties: {@value #HOSTS}, one {@code host:port}, by default {@value #DEFAULT_HOST}.
 */
public final class MemcachedDb extends DB {

  /** The property that names the server. */
  public static final String HOSTS = "memcached.hosts";

  private static final String DEFAULT_HOST = "127.0.0.1:11211";
  private static final String FIELD_COUNT = "fieldcount";
  private static final int TIMEOUT_MILLIS = 30_000;
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int MAX_ATTEMPTS = 100;
  private static final int MAX_LINE = 2048;

  private @Nullable Connection connection;
  private int fieldCount;

  /** Creates it, for YCSB's client. */
  public MemcachedDb() {}

  /** A connected socket. */
  private static final class Connection {
    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    Connection(Socket socket) throws IOException {
      this.socket = socket;
      in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
      out = new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES);
    }

    void ask(String line) throws IOException {
      out.write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    }

    void ask(String line, byte[] value) throws IOException {
      out.write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
      out.write(value);
      out.write('\r');
      out.write('\n');
      out.flush();
    }

    String line() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int next = in.readUnsignedByte(); next != '\n'; next = in.readUnsignedByte()) {
        if (line.length() == MAX_LINE) {
          throw new IOException("a line of more than " + MAX_LINE + " bytes");
        }
        line.append((char) next);
      }
      return line.toString().strip();
    }
  }

  /** An item with the number that {@code cas} wants. */
  private static final class Found {
    private final byte[] value;
    private final String cas;

    Found(byte[] value, String cas) {
      this.value = value;
      this.cas = cas;
    }
  }

  @Override
  public void init() throws DBException {
    String place = getProperties().getProperty(HOSTS, DEFAULT_HOST).split(",", 2)[0].strip();
    int colon = place.lastIndexOf(':');
    String host = colon < 0 ? place : place.substring(0, colon);
    try {
      fieldCount = Integer.parseInt(getProperties().getProperty(FIELD_COUNT, "10"));
      int port = colon < 0 ? 11211 : Integer.parseInt(place.substring(colon + 1));
      Socket socket = new Socket(InetAddress.getByName(host), port);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      connection = new Connection(socket);
    } catch (IOException | NumberFormatException e) {
      throw new DBException("no server at " + place + " (" + HOSTS + "): " + e, e);
    }
  }

  @Override
  public void cleanup() throws DBException {
    try {
      if (connection != null) {
        connection.socket.close();
      }
    } catch (IOException e) {
      throw new DBException(e);
    }
  }

  private Connection connection() {
    if (connection == null) {
      throw new IllegalStateException("not connected: init was not called");
    }
    return connection;
  }

  @Override
  public Status read(
      String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
    try {
      Found found = get(key);
      if (found == null) {
        return Status.NOT_FOUND;
      }
      RecordFields.decode(found.value)
          .forEach(
              (name, value) -> {
                if (fields == null || fields.contains(name)) {
                  result.put(name, new ByteArrayByteIterator(value));
                }
              });
      return Status.OK;
    } catch (IOException e) {
      return failed(e);
    }
  }

  private @Nullable Found get(String key) throws IOException {
    connection().ask("gets " + key);
    String line = connection().line();
    if (line.equals("END")) {
      return null;
    }
    String[] words = line.split(" ", -1);
    if (words.length != 5 || !words[0].equals("VALUE") || !words[1].equals(key)) {
      throw new IOException("not a value to a gets of " + key + ": " + line);
    }
    byte[] value = new byte[Integer.parseInt(words[3])];
    connection().in.readFully(value);
    if (!connection().line().isEmpty() || !connection().line().equals("END")) {
      throw new IOException("no end after the value of " + key);
    }
    return new Found(value, words[4]);
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    return store("set %s 0 0 %d", key, RecordFields.encode(bytes(values)));
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    Map<String, byte[]> changed = bytes(values);
    if (changed.size() >= fieldCount) {
      return store("set %s 0 0 %d", key, RecordFields.encode(changed));
    }
    try {
      for (int i = 0; i < MAX_ATTEMPTS; i++) {
        Found found = get(key);
        if (found == null) {
          return Status.NOT_FOUND;
        }
        Map<String, byte[]> all = RecordFields.decode(found.value);
        all.putAll(changed);
        Status status = store("cas %s 0 0 %d " + found.cas, key, RecordFields.encode(all));
        if (!status.equals(Status.UNEXPECTED_STATE)) {
          return status;
        }
      }
      return Status.UNEXPECTED_STATE;
    } catch (IOException e) {
      return failed(e);
    }
  }

  private Status store(String form, String key, byte[] value) {
    try {
      connection().ask(form.formatted(key, value.length), value);
      String line = connection().line();
      return switch (line) {
        case "STORED" -> Status.OK;
        case "EXISTS" -> Status.UNEXPECTED_STATE;
        case "NOT_FOUND" -> Status.NOT_FOUND;
        default -> failed(new IOException(line));
      };
    } catch (IOException e) {
      return failed(e);
    }
  }

  @Override
  public Status delete(String table, String key) {
    try {
      connection().ask("delete " + key);
      String line = connection().line();
      return switch (line) {
        case "DELETED" -> Status.OK;
        case "NOT_FOUND" -> Status.NOT_FOUND;
        default -> failed(new IOException(line));
      };
    } catch (IOException e) {
      return failed(e);
    }
  }

  /** The protocol has no order of keys. */
  @SuppressWarnings("NonApiType") // the types are YCSB's
  @Override
  public Status scan(
      String table,
      String startkey,
      int recordcount,
      @Nullable Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    return Status.NOT_IMPLEMENTED;
  }

  private static Map<String, byte[]> bytes(Map<String, ByteIterator> values) {
    Map<String, byte[]> bytes = new LinkedHashMap<>();
    values.forEach((name, value) -> bytes.put(name, value.toArray()));
    return bytes;
  }

  private static Status failed(IOException cause) {
    System.err.println("howdah: " + cause); // YCSB prints the status alone
    return Status.ERROR;
  }
}
