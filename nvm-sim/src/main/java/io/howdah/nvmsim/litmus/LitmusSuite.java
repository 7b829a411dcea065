package io.howdah.nvmsim.litmus;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The litmus tests that come with the simulator. */
public final class LitmusSuite {
  /** Their files: visibility on x86, durability on x86, and durability under the models. */
  private static final List<String> FILES =
      List.of("x86-tso.litmus", "px86.litmus", "published-states.litmus", "persistency.litmus");

  private LitmusSuite() {}

  /** Reads the suite. */
  public static List<LitmusTest> load() {
    List<LitmusTest> tests = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (String file : FILES) {
      for (LitmusTest test : LitmusParser.parse(file, read(file))) {
        if (!names.add(test.name())) {
          throw new IllegalStateException("two litmus tests are named " + test.name());
        }
        tests.add(test);
      }
    }
    return tests;
  }

  private static String read(String file) {
    try (InputStream in = LitmusSuite.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("litmus file missing from the module: " + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
