package io.howdah.nvmsim.litmus;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a test's source says of its outcomes.
 *
 * @param models models it holds under
 * @param kind what is said
 * @param columns what an outcome is made of: indices of locations, or of registers among all
 *     threads' registers
 * @param names of those columns
 * @param outcomes the set for the exact kinds, else the one outcome
 */
public record Expectation(
    Set<LitmusModel> models,
    Kind kind,
    List<Integer> columns,
    List<String> names,
    Set<List<Integer>> outcomes) {
  /** What is said of the outcomes. */
  public enum Kind {
    /** After a failure at any moment, these columns of memory hold exactly these values. */
    NVM(true, false),
    /** After all threads ended, these registers hold exactly these values. */
    FINAL(false, false),
    /** A failure can leave this. */
    NVM_ALLOWED(true, true),
    /** No failure leaves this. */
    NVM_FORBIDDEN(true, true),
    /** The threads can end with this. */
    FINAL_ALLOWED(false, true),
    /** The threads never end with this. */
    FINAL_FORBIDDEN(false, true);

    private final boolean memory;
    private final boolean single;

    Kind(boolean memory, boolean single) {
      this.memory = memory;
      this.single = single;
    }

    /** Whether outcomes are of memory after a failure, not of registers at the end. */
    public boolean ofMemory() {
      return memory;
    }

    /** Whether one outcome is judged, not the whole set. */
    public boolean single() {
      return single;
    }
  }

  public Expectation {
    models = Set.copyOf(models);
    columns = List.copyOf(columns);
    names = List.copyOf(names);
    outcomes = Set.copyOf(outcomes);
  }

  /** Whether the outcomes found, restricted to the columns, are as expected. */
  boolean holdsFor(Set<List<Integer>> found) {
    return switch (kind) {
      case NVM, FINAL -> found.equals(outcomes);
      case NVM_ALLOWED, FINAL_ALLOWED -> found.containsAll(outcomes);
      case NVM_FORBIDDEN, FINAL_FORBIDDEN -> outcomes.stream().noneMatch(found::contains);
    };
  }

  /** The set in a fixed order, as {@code {x=0 y=0} {x=1 y=0}}. */
  String format(Set<List<Integer>> set) {
    TreeSet<String> lines = new TreeSet<>();
    for (List<Integer> outcome : set) {
      StringBuilder line = new StringBuilder("{");
      for (int i = 0; i < names.size(); i++) {
        line.append(i == 0 ? "" : " ").append(names.get(i)).append('=').append(outcome.get(i));
      }
      lines.add(line.append('}').toString());
    }
    return String.join(" ", lines);
  }
}
