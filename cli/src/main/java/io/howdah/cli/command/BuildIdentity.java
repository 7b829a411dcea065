package io.howdah.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Which sources this program was started from. */
public final class BuildIdentity {

  /** Set by the start script: the folder of the checkout. */
  static final String ROOT_PROPERTY = "howdah.root";

  /** In the jar of a distribution: build/distribution puts it there. */
  private static final String COMMIT_RESOURCE = "commit";

  private static final String UNKNOWN = "unknown";
  private static final Pattern SHA = Pattern.compile("[0-9a-f]{40,64}");
  private static final int GIT_TIMEOUT_SECONDS = 5;

  private BuildIdentity() {}

  /**
   * Returns the commit that the checkout stands at, or without a checkout that of the distribution;
   * "unknown" where neither is known.
   */
  public static String commit() {
    String root = System.getProperty(ROOT_PROPERTY);
    if (root != null) {
      return commitOf(Path.of(root));
    }
    try (InputStream packaged = BuildIdentity.class.getResourceAsStream(COMMIT_RESOURCE)) {
      return packaged == null ? UNKNOWN : shaIn(packaged);
    } catch (IOException _) {
      return UNKNOWN; // a jar that can no longer be read
    }
  }

  /** Returns the name of a commit that is all that the stream has, or "unknown". */
  static String shaIn(InputStream text) throws IOException {
    String sha = new String(text.readAllBytes(), StandardCharsets.US_ASCII).strip();
    return SHA.matcher(sha).matches() ? sha : UNKNOWN;
  }

  /**
   * Returns where commands keep what they make for themselves: beside the builds in the checkout,
   * on a real disk, or without one the system's folder for temporary files.
   */
  public static Path workFolder() {
    String root = System.getProperty(ROOT_PROPERTY);
    return root == null
        ? Path.of(System.getProperty("java.io.tmpdir"), "howdah")
        : Path.of(root, ".howdah", "runs");
  }

  static String commitOf(Path checkout) {
    try {
      Process git =
          new ProcessBuilder("git", "rev-parse", "HEAD")
              .directory(checkout.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try {
        if (!git.waitFor(GIT_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
          return UNKNOWN;
        }
        return shaIn(git.getInputStream());
      } finally {
        git.destroyForcibly();
      }
    } catch (IOException _) {
      return UNKNOWN; // no git on this machine, or no such folder
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return UNKNOWN;
    }
  }
}
