package io.howdah.core.storage.file;

import java.nio.file.Path;

/**
 * Tries to take a {@link LockFile}, says how it went in one line, and keeps what it has until its
 * standard input ends. Argument: the file.
 */
final class LockFileHolder {

  private LockFileHolder() {}

  public static void main(String[] arguments) throws Exception {
    try (LockFile _ = LockFile.acquire(Path.of(arguments[0]), false, PrivateFiles::open)) {
      System.out.println("held");
      while (System.in.read() >= 0) {}
    } catch (LockFile.HeldException e) {
      System.out.println("refused");
    }
  }
}
