package io.howdah.lab.test.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Which parts of a campaign are done, in a file: a line with what the campaign is, then a line for
 * each part, its words separated by tabs. For one thread.
 */
final class CampaignState {

  /** How a part ended. */
  enum Result {
    PASSED,
    VIOLATION,
    FAILED,
    SKIPPED
  }

  /**
   * A part that is done.
   *
   * @param seconds it took
   * @param note in a line, perhaps empty
   */
  record Done(Result result, double seconds, String note) {

    Done {
      note = note.lines().findFirst().orElse("").replace('\t', ' ');
    }
  }

  private final Path file;
  private final Map<String, Done> done = new LinkedHashMap<>();
  private final long seed;
  private final double seconds;

  private CampaignState(Path file, long seed, double seconds) {
    this.file = file;
    this.seed = seed;
    this.seconds = seconds;
  }

  /**
   * Reads a state, or begins one.
   *
   * @param seed of the campaign; null for that of the state, or else {@code newSeed}
   * @param parts of the campaign; a state that has as many is complete, and another one begins
   */
  static CampaignState open(Path file, @Nullable Long seed, long newSeed, double seconds, int parts)
      throws IOException {
    Optional<CampaignState> found = read(file);
    if (found.isPresent()) {
      CampaignState state = found.get();
      boolean same = state.seconds == seconds && (seed == null || seed == state.seed);
      if (same && state.done.size() < parts) {
        return state;
      }
    }
    CampaignState state = new CampaignState(file, seed == null ? newSeed : seed, seconds);
    state.write();
    return state;
  }

  private static Optional<CampaignState> read(Path file) throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    List<String> lines = Files.readAllLines(file);
    String[] head = lines.isEmpty() ? new String[0] : lines.getFirst().split("\t", -1);
    OptionalLong seed = head.length == 2 ? number(head[0]) : OptionalLong.empty();
    if (seed.isEmpty()) {
      return Optional.empty();
    }
    CampaignState state = new CampaignState(file, seed.getAsLong(), Double.parseDouble(head[1]));
    for (String line : lines.subList(1, lines.size())) {
      String[] words = line.split("\t", -1);
      if (words.length == 4) {
        state.done.put(
            words[0], new Done(Result.valueOf(words[1]), Double.parseDouble(words[2]), words[3]));
      }
    }
    return Optional.of(state);
  }

  private static OptionalLong number(String text) {
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /** Returns the seed of the campaign. */
  long seed() {
    return seed;
  }

  /** Returns how a part ended, if it is done. */
  Optional<Done> done(String part) {
    return Optional.ofNullable(done.get(part));
  }

  /** Notes that a part is done. */
  void done(String part, Done how) throws IOException {
    done.put(part, how);
    write();
  }

  private void write() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(seed + "\t" + seconds);
    done.forEach(
        (part, how) -> lines.add(part + "\t" + how.result + "\t" + how.seconds + "\t" + how.note));
    Path written = file.resolveSibling(file.getFileName() + ".part");
    Files.write(written, lines);
    Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
  }
}
