package io.howdah.jmh.ycsb;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a server that speaks memcached's protocol tells of itself. */
public final class ServerStatistics {

  private static final int TIMEOUT_MILLIS = 30_000;

  private ServerStatistics() {}

  /**
   * Asks a server.
   *
   * @param group empty, or the name of a group, for instance {@code slabs}
   * @return the rows by their names
   */
  public static Map<String, String> of(InetSocketAddress address, String group) {
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      String command = group.isEmpty() ? "stats\r\n" : "stats " + group + "\r\n";
      socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
      BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      Map<String, String> rows = new LinkedHashMap<>();
      for (String line = reader.readLine(); !"END".equals(line); line = reader.readLine()) {
        String[] words = line == null ? new String[0] : line.split(" ", 3);
        if (words.length < 2 || !words[0].equals("STAT")) {
          throw new LoadException("no row of statistics, but '%s'".formatted(line));
        }
        rows.put(words[1], words.length > 2 ? words[2] : "");
      }
      return rows;
    } catch (IOException e) {
      throw new LoadException("the server told no statistics: " + e.getMessage(), e);
    }
  }
}
