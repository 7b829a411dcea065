package io.howdah.nvmsim.litmus;

import io.howdah.nvmsim.litmus.Expectation.Kind;
import io.howdah.nvmsim.program.Instruction;
import io.howdah.nvmsim.program.Instruction.AtomicKind;
import io.howdah.nvmsim.program.Instruction.FenceKind;
import io.howdah.nvmsim.program.Instruction.FlushKind;
import io.howdah.nvmsim.program.Instruction.MarkKind;
import io.howdah.nvmsim.program.LitmusProgram;
import io.howdah.nvmsim.program.Operand;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Reads litmus tests. A file holds tests one after the other; a line holds one thing; {@code #}
 * starts a comment. Everything is 0 at first; names appear by being used.
 *
 * <pre>
 * test commit1
 * source where the expectations come from, in words
 * line data crc              # these locations share a cache line; others have one of their own
 * volatile flag              # lost in a failure
 * thread
 *   store data 42            # a number or a register
 *   clwb data                # or clflush, clflushopt
 *   sfence                   # or mfence
 *   r = load flag
 *   if r == 0                # or !=; up to "end"
 *     s = xchg lock 1        # also: s = faa lock 1, s = cas lock 0 1 (expected, new)
 *   end
 *   barrier                  # persist barrier; and: newstrand (not for px86)
 * nvm data commit            # exactly the lines below are what a failure can leave
 *   0 0
 *   42 1
 * nvm on strict,epoch data   # under these models; without "on", px86
 * final 0:r 1:r              # exactly the lines below are the registers in the end
 * allowed nvm data=42 commit=0
 * forbidden final on px86 0:r=1 1:r=0
 * </pre>
 */
public final class LitmusParser {
  /** Locations of a test. */
  static final int MAX_LOCATIONS = 16;

  /** Instructions of a thread. */
  static final int MAX_INSTRUCTIONS = 64;

  private final String file;
  private final String[] lines;
  private int at;

  private LitmusParser(String file, String text) {
    this.file = file;
    this.lines = text.lines().toArray(String[]::new);
  }

  /**
   * Reads all tests of a file.
   *
   * @param file its name, for messages
   * @throws LitmusSyntaxException with file and line
   */
  public static List<LitmusTest> parse(String file, String text) {
    return new LitmusParser(file, text).tests();
  }

  private LitmusSyntaxException error(String what) {
    return new LitmusSyntaxException(file, at, what);
  }

  /** The next line with anything on it, cut into words; empty at the end. */
  private List<String> next() {
    while (at < lines.length) {
      String line = lines[at++];
      int comment = line.indexOf('#');
      String rest = (comment < 0 ? line : line.substring(0, comment)).strip();
      if (!rest.isEmpty()) {
        return List.of(rest.split("\\s+"));
      }
    }
    return List.of();
  }

  private List<LitmusTest> tests() {
    List<LitmusTest> tests = new ArrayList<>();
    Set<String> names = new HashSet<>();
    List<String> words = next();
    while (!words.isEmpty()) {
      if (!words.getFirst().equals("test") || words.size() != 2) {
        throw error("expected \"test NAME\", found \"" + String.join(" ", words) + "\"");
      }
      String name = words.get(1);
      if (!names.add(name)) {
        throw error("a second test named " + name);
      }
      Draft draft = new Draft();
      words = next();
      while (!words.isEmpty() && !words.getFirst().equals("test")) {
        words = draft.accept(words);
      }
      tests.add(draft.build(name));
    }
    return tests;
  }

  /** A test whose lines are being read. */
  private final class Draft {
    private final List<String> locations = new ArrayList<>();
    private final List<Integer> cacheLines = new ArrayList<>();
    private final List<Boolean> volatileLocations = new ArrayList<>();
    private final List<List<String>> registers = new ArrayList<>();
    private final List<List<Instruction>> threads = new ArrayList<>();
    private final List<Expectation> expectations = new ArrayList<>();
    private final Deque<Integer> openIfs = new ArrayDeque<>();
    private String source = "";

    /** Takes one line, or an expectation with its outcomes; returns the line after. */
    List<String> accept(List<String> words) {
      switch (words.getFirst()) {
        case "source" -> source = String.join(" ", words.subList(1, words.size()));
        case "line" -> {
          int first = location(words.get(1));
          for (String name : words.subList(2, words.size())) {
            cacheLines.set(location(name), cacheLines.get(first));
          }
        }
        case "volatile" ->
            words
                .subList(1, words.size())
                .forEach(name -> volatileLocations.set(location(name), true));
        case "thread" -> {
          closeThread();
          threads.add(new ArrayList<>());
          registers.add(new ArrayList<>());
        }
        case "nvm", "final" -> {
          return exact(words);
        }
        case "allowed", "forbidden" -> single(words);
        default -> instruction(words);
      }
      return next();
    }

    LitmusTest build(String name) {
      closeThread();
      if (threads.isEmpty() || expectations.isEmpty() || source.isEmpty()) {
        throw error("test " + name + " needs a source, a thread and an expectation");
      }
      LitmusProgram program =
          new LitmusProgram(locations, cacheLines, volatileLocations, registers, threads);
      return new LitmusTest(name, source, program, expectations);
    }

    private void closeThread() {
      if (!openIfs.isEmpty()) {
        throw error("an \"if\" without its \"end\"");
      }
    }

    private int location(String name) {
      if (!name.matches("[A-Za-z][A-Za-z0-9_]*")) {
        throw error("\"" + name + "\" is no name of a location");
      }
      int index = locations.indexOf(name);
      if (index >= 0) {
        return index;
      }
      if (locations.size() == MAX_LOCATIONS) {
        throw error("more than " + MAX_LOCATIONS + " locations");
      }
      locations.add(name);
      cacheLines.add(locations.size());
      volatileLocations.add(false);
      return locations.size() - 1;
    }

    private int register(String name) {
      List<String> own = registers.getLast();
      if (!own.contains(name)) {
        own.add(name);
      }
      return own.indexOf(name);
    }

    private Operand operand(String word) {
      if (Character.isLetter(word.charAt(0))) {
        int index = registers.getLast().indexOf(word);
        if (index < 0) {
          throw error("register " + word + " is used before it is loaded");
        }
        return new Operand(true, index);
      }
      return new Operand(false, number(word));
    }

    private void instruction(List<String> words) {
      if (threads.isEmpty()) {
        throw error("\"" + words.getFirst() + "\" before the first \"thread\"");
      }
      List<Instruction> code = threads.getLast();
      if (code.size() == MAX_INSTRUCTIONS) {
        throw error("more than " + MAX_INSTRUCTIONS + " instructions in a thread");
      }
      String shape = words.size() > 2 && words.get(1).equals("=") ? words.get(2) : words.getFirst();
      int expected =
          switch (shape) {
            case "store" -> 3;
            case "clflush", "clflushopt", "clwb" -> 2;
            case "sfence", "mfence", "barrier", "newstrand", "end" -> 1;
            case "load", "if" -> 4;
            case "xchg", "faa" -> 5;
            case "cas" -> 6;
            default -> throw error("no instruction \"" + String.join(" ", words) + "\"");
          };
      if (words.size() != expected) {
        throw error("\"" + shape + "\" with too many or too few words");
      }
      switch (shape) {
        case "store" ->
            code.add(new Instruction.Store(location(words.get(1)), operand(words.get(2))));
        case "clflush", "clflushopt", "clwb" ->
            code.add(
                new Instruction.Flush(
                    FlushKind.valueOf(shape.toUpperCase(Locale.ROOT)), location(words.get(1))));
        case "sfence", "mfence" ->
            code.add(new Instruction.Fence(FenceKind.valueOf(shape.toUpperCase(Locale.ROOT))));
        case "barrier" -> code.add(new Instruction.Mark(MarkKind.PERSIST_BARRIER));
        case "newstrand" -> code.add(new Instruction.Mark(MarkKind.NEW_STRAND));
        case "load" ->
            code.add(new Instruction.Load(register(words.getFirst()), location(words.get(3))));
        case "xchg" -> code.add(atomic(AtomicKind.EXCHANGE, words));
        case "faa" -> code.add(atomic(AtomicKind.FETCH_AND_ADD, words));
        case "cas" -> code.add(atomic(AtomicKind.COMPARE_AND_SET, words));
        case "if" -> openIf(words, code);
        default -> closeIf(code);
      }
    }

    private Instruction atomic(AtomicKind kind, List<String> words) {
      boolean compares = kind == AtomicKind.COMPARE_AND_SET;
      return new Instruction.Atomic(
          kind,
          register(words.getFirst()),
          location(words.get(3)),
          compares ? operand(words.get(4)) : new Operand(false, 0),
          operand(words.getLast()));
    }

    private void openIf(List<String> words, List<Instruction> code) {
      String comparison = words.get(2);
      Operand register = operand(words.get(1));
      if (!register.register() || (!comparison.equals("==") && !comparison.equals("!="))) {
        throw error("expected \"if REGISTER == NUMBER\" or \"!=\"");
      }
      openIfs.push(code.size());
      // The target is not known before "end".
      code.add(
          new Instruction.SkipUnless(
              register.value(), comparison.equals("=="), number(words.get(3)), 0));
    }

    private void closeIf(List<Instruction> code) {
      if (openIfs.isEmpty()) {
        throw error("an \"end\" without its \"if\"");
      }
      int opened = openIfs.pop();
      if (code.get(opened) instanceof Instruction.SkipUnless(int r, boolean equal, int value, _)) {
        code.set(opened, new Instruction.SkipUnless(r, equal, value, code.size()));
      }
    }

    private Set<LitmusModel> models(List<String> words, int from) {
      if (words.size() <= from + 1 || !words.get(from).equals("on")) {
        return EnumSet.of(LitmusModel.PX86);
      }
      Set<LitmusModel> models = EnumSet.noneOf(LitmusModel.class);
      for (String name : words.get(from + 1).split(",", -1)) {
        try {
          models.add(LitmusModel.valueOf(name.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException _) {
          throw error("no model \"" + name + "\"");
        }
      }
      return models;
    }

    private static int afterModels(List<String> words, int from) {
      return words.size() > from && words.get(from).equals("on") ? from + 2 : from;
    }

    private List<String> exact(List<String> head) {
      Kind kind = head.getFirst().equals("nvm") ? Kind.NVM : Kind.FINAL;
      Set<LitmusModel> models = models(head, 1);
      List<String> names = head.subList(Math.min(afterModels(head, 1), head.size()), head.size());
      List<Integer> columns = new ArrayList<>();
      names.forEach(name -> columns.add(column(kind, name)));
      Set<List<Integer>> outcomes = new HashSet<>();
      List<String> words = next();
      while (!words.isEmpty() && words.getFirst().matches("-?[0-9]+")) {
        if (words.size() != names.size()) {
          throw error("an outcome of " + words.size() + " values for " + names.size() + " columns");
        }
        List<Integer> outcome = new ArrayList<>();
        words.forEach(word -> outcome.add(number(word)));
        if (!outcomes.add(outcome)) {
          throw error("the outcome " + outcome + " a second time");
        }
        words = next();
      }
      add(new Expectation(models, kind, columns, names, outcomes));
      return words;
    }

    private void single(List<String> words) {
      if (words.size() < 3 || !Set.of("nvm", "final").contains(words.get(1))) {
        throw error("expected \"allowed nvm\" or \"final\" and the outcome");
      }
      boolean allowed = words.getFirst().equals("allowed");
      boolean memory = words.get(1).equals("nvm");
      Kind kind =
          memory
              ? allowed ? Kind.NVM_ALLOWED : Kind.NVM_FORBIDDEN
              : allowed ? Kind.FINAL_ALLOWED : Kind.FINAL_FORBIDDEN;
      List<String> names = new ArrayList<>();
      List<Integer> columns = new ArrayList<>();
      List<Integer> outcome = new ArrayList<>();
      for (String word :
          words.subList(Math.min(afterModels(words, 2), words.size()), words.size())) {
        int equals = word.indexOf('=');
        if (equals < 1) {
          throw error("expected NAME=VALUE: \"" + word + "\"");
        }
        names.add(word.substring(0, equals));
        columns.add(column(kind, word.substring(0, equals)));
        outcome.add(number(word.substring(equals + 1)));
      }
      add(new Expectation(models(words, 2), kind, columns, names, Set.of(outcome)));
    }

    private void add(Expectation expectation) {
      if (expectation.columns().isEmpty() || expectation.outcomes().isEmpty()) {
        throw error("an expectation without columns or outcomes");
      }
      expectations.add(expectation);
    }

    /** A location by name, or a register as {@code THREAD:NAME}; must have been used before. */
    private int column(Kind kind, String name) {
      if (kind.ofMemory()) {
        int index = locations.indexOf(name);
        if (index < 0 || volatileLocations.get(index)) {
          throw error("no persistent location \"" + name + "\"");
        }
        return index;
      }
      int colon = name.indexOf(':');
      int thread = colon < 0 ? -1 : number(name.substring(0, colon));
      int index =
          thread < 0 || thread >= registers.size()
              ? -1
              : registers.get(thread).indexOf(name.substring(colon + 1));
      if (index < 0) {
        throw error("no register \"" + name + "\", expected THREAD:REGISTER");
      }
      return registers.subList(0, thread).stream().mapToInt(List::size).sum() + index;
    }
  }

  private int number(String word) {
    try {
      return Integer.parseInt(word);
    } catch (NumberFormatException _) {
      throw error("\"" + word + "\" is no number");
    }
  }
}
