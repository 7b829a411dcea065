package io.howdah.crashtest.serve;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection that speaks the text protocol, byte by byte. For one thread at a time. */
public final class TextConnection implements AutoCloseable {

  private static final int TIMEOUT_MILLIS = 60_000;
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int MAX_LINE_BYTES = 1 << 12;

  private final Socket socket;
  private final InputStream in;

  /** Connects to a server on the loopback address. */
  public TextConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
  }

  /** Sends bytes as they are. */
  public void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** Sends text as it is: line ends are the caller's. */
  public void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Returns the next line without its end. */
  public String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the connection ended after: " + line);
      }
      line.write(next);
      if (line.size() > MAX_LINE_BYTES) {
        throw new IOException("a line without an end: " + line);
      }
    }
    String text = line.toString(StandardCharsets.ISO_8859_1);
    return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
  }

  /** Returns the next bytes. */
  public byte[] bytes(int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException("the connection ended within a value");
    }
    return bytes;
  }

  /** Returns whether the server has closed the connection; waits until it does or sends. */
  public boolean isEnded() throws IOException {
    return in.read() < 0;
  }

  /** Ends what is sent; what comes can still be read. */
  public void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
