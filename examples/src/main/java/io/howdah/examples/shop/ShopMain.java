package io.howdah.examples.shop;

import io.howdah.Store;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * {@code ShopMain FOLDER PORT [TABLE...]} takes tables of deliveries into stock and serves the shop
 * of a folder until the process ends. {@code ShopMain FOLDER} shows it in a few seconds: {@link
 * ShopTour}.
 */
public final class ShopMain {

  /** How the line begins that says where the shop is served. */
  static final String SERVES = "the shop is at ";

  private ShopMain() {}

  /** Serves, or shows, a shop. */
  public static void main(String[] args) throws Exception {
    if (args.length == 0) {
      System.err.println("usage: ShopMain FOLDER [PORT [TABLE...]]; port 0 is any free one");
      System.exit(2);
    }
    Path folder = Path.of(args[0]);
    if (args.length == 1) {
      ShopTour.show(folder);
      return;
    }
    try {
      serve(folder, Integer.parseInt(args[1]), args);
    } catch (RefusedException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  private static void serve(Path folder, int port, String[] args)
      throws IOException, InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    try (Store store = Store.open(folder, Shop.options())) {
      Shop shop = new Shop(store);
      for (int i = 2; i < args.length; i++) {
        shop.receive(Delivery.read(Path.of(args[i])));
      }
      try (ShopHttp http = new ShopHttp(shop, port)) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(ended, closed)));
        System.out.println(SERVES + "http://127.0.0.1:" + http.port());
        ended.await();
      }
    } finally {
      closed.countDown();
    }
  }

  /** Ends the server at SIGTERM and Ctrl-C, and keeps the process until the store is closed. */
  private static void end(CountDownLatch ended, CountDownLatch closed) {
    ended.countDown();
    boolean interrupted = false;
    while (true) {
      try {
        closed.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
