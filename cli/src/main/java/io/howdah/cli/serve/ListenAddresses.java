package io.howdah.cli.serve;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** The addresses of {@code -l} and {@code -p}. */
final class ListenAddresses {

  private static final int MAX_PORT = 65_535;

  private ListenAddresses() {}

  /**
   * Returns the addresses that a server is to listen at: the loopback address if no host is named.
   *
   * @param hosts each a host, or a host, a colon and a port; IPv6 addresses with a port in
   *     brackets; {@code *} for all addresses of the machine
   * @param port of hosts without one
   * @throws IllegalArgumentException if a text is no address, or a host is unknown
   */
  static List<InetSocketAddress> parse(List<String> hosts, int port) {
    List<InetSocketAddress> addresses = new ArrayList<>();
    checkPort(port, Integer.toString(port));
    if (hosts.isEmpty()) {
      addresses.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }
    for (String host : hosts) {
      addresses.add(address(host.strip(), port));
    }
    return addresses;
  }

  private static InetSocketAddress address(String text, int defaultPort) {
    String host = text;
    int port = defaultPort;
    if (text.startsWith("[")) {
      int end = text.indexOf(']');
      if (end < 0) {
        throw new IllegalArgumentException("\"" + text + "\" has no closing bracket");
      }
      host = text.substring(1, end);
      String rest = text.substring(end + 1);
      if (!rest.isEmpty()) {
        port = port(rest.startsWith(":") ? rest.substring(1) : "", text);
      }
    } else if (text.indexOf(':') >= 0 && text.indexOf(':') == text.lastIndexOf(':')) {
      host = text.substring(0, text.indexOf(':'));
      port = port(text.substring(text.indexOf(':') + 1), text);
    }
    if (host.equals("*")) {
      return new InetSocketAddress(port);
    }
    if (host.isEmpty()) {
      throw new IllegalArgumentException("\"" + text + "\" names no host");
    }
    try {
      return new InetSocketAddress(InetAddress.getByName(host), port);
    } catch (UnknownHostException _) {
      throw new IllegalArgumentException("the host \"" + host + "\" is unknown");
    }
  }

  private static int port(String digits, String text) {
    if (digits.isEmpty() || digits.length() > 5 || !digits.chars().allMatch(Character::isDigit)) {
      throw new IllegalArgumentException("\"" + text + "\" has no port after its last colon");
    }
    return checkPort(Integer.parseInt(digits), digits);
  }

  private static int checkPort(int port, String text) {
    if (port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("a port is 0 to " + MAX_PORT + ", not " + text);
    }
    return port;
  }
}
