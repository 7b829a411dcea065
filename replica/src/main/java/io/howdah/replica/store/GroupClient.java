package io.howdah.replica.store;

import io.howdah.replica.NotLeaderException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Asks the members of a group and commands them, from anywhere that reaches their addresses {@code
 * http.NAME}.
 *
 * <p>Thread-safe.
 */
public final class GroupClient {

  private static final int CONNECT_MILLIS = 3000;
  private static final int OK = HttpURLConnection.HTTP_OK;
  private static final int MAX_ANSWER_BYTES = 10_000;

  private final ReplicaGroup group;

  /**
   * Creates a client.
   *
   * @throws IllegalArgumentException if members have no such addresses
   */
  public GroupClient(ReplicaGroup group) {
    if (group.http().isEmpty()) {
      throw new IllegalArgumentException(
          "the group file has no addresses http.NAME, at which members could be asked");
    }
    this.group = group;
  }

  /**
   * Asks all members for their state.
   *
   * @return by name, in the order of names: lines of a key and a value, or empty if the member does
   *     not answer
   */
  public Map<String, Optional<String>> status() {
    Map<String, Optional<String>> status = new TreeMap<>();
    group.http().forEach((name, address) -> status.put(name, ask(address, "/status")));
    return status;
  }

  private static Optional<String> ask(String address, String path) {
    try {
      HttpURLConnection connection = connect(address, path);
      return connection.getResponseCode() == OK
          ? Optional.of(answer(connection))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Makes a member the leader; see {@link ReplicatedStore#transfer}.
   *
   * @return whether it leads, as far as is known after 30 seconds
   * @throws NotLeaderException if no member leads
   * @throws IllegalArgumentException if the leader refuses; tells why
   */
  public boolean transfer(String member) {
    return command("/transfer", member);
  }

  /**
   * Puts a new member in the place of a lost one; see {@link ReplicatedStore#replace}. The group
   * file has the new one already.
   *
   * @return whether it was done within 30 seconds; if not, it may be repeated
   * @throws NotLeaderException if no member leads
   * @throws IllegalArgumentException if the group file does not name the new member, or the leader
   *     refuses; tells why
   */
  public boolean replace(String former, String member) {
    group.requireMember(member);
    return command("/replace", former + "\n" + member + "\n" + group.peers().get(member));
  }

  private boolean command(String path, String lines) {
    for (String address : group.http().values()) {
      if (ask(address, "/leader").isPresent()) {
        return command(address, path, lines);
      }
    }
    throw new NotLeaderException(
        "no member of the group leads at present, of those at " + group.http().values());
  }

  private boolean command(String address, String path, String lines) {
    try {
      HttpURLConnection connection = connect(address, path);
      // Longer than the member takes.
      connection.setReadTimeout(2 * (int) PeerEndpoint.COMMAND_TIME.toMillis());
      connection.setRequestMethod("POST");
      connection.setRequestProperty(
          "Authorization", PeerEndpoint.BEARER + group.secret().orElseThrow());
      connection.setDoOutput(true);
      try (OutputStream body = connection.getOutputStream()) {
        body.write(lines.getBytes(StandardCharsets.UTF_8));
      }
      return switch (connection.getResponseCode()) {
        case OK -> true;
        case HttpURLConnection.HTTP_GATEWAY_TIMEOUT -> false;
        default -> throw new IllegalArgumentException(address + " refuses: " + answer(connection));
      };
    } catch (IOException e) {
      throw new UncheckedIOException("command the leader at " + address, e);
    }
  }

  private static HttpURLConnection connect(String address, String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create("http://" + address + path).toURL().openConnection();
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(CONNECT_MILLIS);
    connection.setInstanceFollowRedirects(false);
    return connection;
  }

  private static String answer(HttpURLConnection connection) throws IOException {
    try (InputStream stream =
        connection.getResponseCode() == OK
            ? connection.getInputStream()
            : connection.getErrorStream()) {
      return stream == null
          ? Integer.toString(connection.getResponseCode())
          : new String(stream.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8).strip();
    }
  }
}
