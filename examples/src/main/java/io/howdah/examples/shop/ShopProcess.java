package io.howdah.examples.shop;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The shop in a JVM of its own, which can be killed, and a client of it. */
final class ShopProcess implements AutoCloseable {

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final Process process;
  private final URI address;

  private ShopProcess(Process process, URI address) {
    this.process = process;
    this.address = address;
  }

  /** Starts the shop of a folder, and waits until it answers. */
  static ShopProcess start(Path folder, Path... tables) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(ShopMain.class.getName());
    command.add(folder.toString());
    command.add("0");
    for (Path table : tables) {
      command.add(table.toString());
    }
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader output = process.inputReader();
    String line = output.readLine();
    if (line == null || !line.startsWith(ShopMain.SERVES)) {
      process.destroyForcibly();
      throw new IOException("the shop did not start: " + line);
    }
    return new ShopProcess(process, URI.create(line.substring(ShopMain.SERVES.length())));
  }

  /** Sends a request; an IOException leaves open whether it has happened. */
  HttpResponse<String> send(String method, String path, String body)
      throws IOException, InterruptedException {
    return CLIENT.send(
        HttpRequest.newBuilder(address.resolve(path))
            .method(method, BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  /** Sends a request that has to succeed, and returns the answer. */
  String get(String method, String path, String body) throws IOException, InterruptedException {
    HttpResponse<String> answer = send(method, path, body);
    if (answer.statusCode() != 200) {
      throw new IOException(method + " " + path + ": " + answer.statusCode() + answer.body());
    }
    return answer.body().stripTrailing();
  }

  /** {@code kill -9}. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** {@code kill}: the shop closes its store. Returns the exit code. */
  int stop() throws InterruptedException {
    process.destroy();
    return process.waitFor();
  }

  /** Leaves no process behind, whatever happened. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
