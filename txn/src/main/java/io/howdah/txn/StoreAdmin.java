package io.howdah.txn;

import io.howdah.core.HowdahException;
import io.howdah.core.UnsupportedStoreException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Asks a store that another process of the same user has open, if that opened it with {@link
 * StoreOptions#adminSocket(boolean)}. Thread-safe.
 */
public final class StoreAdmin {

  private static final int MAX_ANSWER_BYTES = 1 << 16;

  private StoreAdmin() {}

  /** The store could not do what it was asked for. */
  public static final class RefusedException extends HowdahException {

    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  /** Returns figures of a store, by name. */
  public static Map<String, Long> stat(Path directory) {
    return ask(directory, "stat");
  }

  /** Has a store take a checkpoint; returns the LSN above which a recovery replays. */
  public static long checkpoint(Path directory) {
    return ask(directory, "checkpoint").getOrDefault("lsn", 0L);
  }

  /**
   * Has a store make a backup.
   *
   * @param target absent or empty
   * @return the LSN up to which everything is in it
   */
  public static long backup(Path directory, Path target) {
    return ask(directory, "backup " + target.toAbsolutePath().normalize()).getOrDefault("lsn", 0L);
  }

  private static Map<String, Long> ask(Path directory, String request) {
    Path path = directory.resolve(AdminSocket.NAME);
    byte[] line = (request + "\n").getBytes(StandardCharsets.UTF_8);
    if (line.length >= AdminSocket.MAX_REQUEST_BYTES || request.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("no such request: " + request);
    }
    String answer;
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(path));
      ByteBuffer out = ByteBuffer.wrap(line);
      while (out.hasRemaining()) {
        channel.write(out);
      }
      ByteBuffer in = ByteBuffer.allocate(MAX_ANSWER_BYTES);
      while (in.hasRemaining() && channel.read(in) >= 0) {
        // Until the other side has said everything.
      }
      answer = StandardCharsets.UTF_8.decode(in.flip()).toString();
    } catch (IOException | UnsupportedOperationException e) {
      throw new UnsupportedStoreException(
          "no open store answers at "
              + path
              + ": "
              + e.getMessage()
              + "; it answers if it was opened with StoreOptions.adminSocket(true)");
    }
    return figures(answer);
  }

  private static Map<String, Long> figures(String answer) {
    String[] lines = answer.split("\n", -1);
    if (!lines[0].equals("ok")) {
      throw new RefusedException("the store refused: " + lines[0].replaceFirst("^error ", ""));
    }
    Map<String, Long> figures = new LinkedHashMap<>();
    for (int i = 1; i < lines.length; i++) {
      String[] words = lines[i].split(" ", -1);
      if (words.length == 2 && words[1].matches("-?\\d{1,18}")) {
        figures.put(words[0], Long.parseLong(words[1]));
      }
    }
    return figures;
  }
}
