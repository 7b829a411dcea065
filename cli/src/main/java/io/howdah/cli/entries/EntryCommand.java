package io.howdah.cli.entries;

import io.howdah.Store;
import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.command.StoreOption;
import io.howdah.cli.json.JsonOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What the commands on single entries of a structure have in common. */
abstract class EntryCommand implements Callable<Integer> {

  private static final String STANDARD_INPUT = "-";

  @Mixin private StoreOption store;

  @Parameters(index = "1", paramLabel = "NAME", description = "Name of the structure.")
  private String name;

  @Parameters(
      index = "2..*",
      paramLabel = "OPERAND",
      description = {
        "What the structure takes:",
        "  map, sorted map   KEY; for put KEY VALUE",
        "  multimap          KEY; for put KEY VALUE, for rm KEY or KEY VALUE",
        "  set               ELEMENT",
        "  list              INDEX; for put VALUE or INDEX VALUE",
        "  queue             nothing; for put VALUE",
        "  counter           nothing; for put NUMBER",
        "  blob              OFFSET LENGTH; for put OFFSET BYTES",
        "Strings, dates, UUIDs and constants stand for themselves, bytes are hexadecimal digits."
            + " Anything else is JSON: records are objects, those that are keys are arrays. - is"
            + " the standard input, for the last operand only."
      })
  private List<String> operands = List.of();

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  /** The store that the command works on. */
  final StoreOption store() {
    return store;
  }

  final String name() {
    return name;
  }

  /** Opens the structure. */
  final Structure structure(Store open) {
    return Structures.open(open, name);
  }

  /**
   * Returns the operands, if they are as many as the structure takes; else ends with exit code 2.
   */
  final List<String> operands(Structure structure, List<List<String>> expected) {
    if (expected.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "%s does not work on a %s".formatted(spec.name(), structure.kind()));
    }
    if (expected.stream().noneMatch(way -> way.size() == operands.size())) {
      throw new ParameterException(
          spec.commandLine(),
          "\"%s\" is a %s: %s takes %s, not %d operands"
              .formatted(
                  name,
                  structure.kind(),
                  spec.name(),
                  Structures.describe(expected),
                  operands.size()));
    }
    if (operands.isEmpty() || !operands.getLast().equals(STANDARD_INPUT)) {
      return operands;
    }
    List<String> read = new ArrayList<>(operands);
    read.set(operands.size() - 1, standardInput());
    return read;
  }

  /** Returns what ends the command with exit code 2. */
  final ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** Returns all of it, without the line feed that ends the last line. */
  private String standardInput() {
    if (store.isShared()) {
      throw new ParameterException(
          spec.commandLine(),
          "- is not the standard input in the shell, which reads commands there");
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(System.in.readAllBytes());
      String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
      return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    } catch (CharacterCodingException e) {
      throw new DataException("the standard input is not UTF-8", e);
    } catch (IOException e) {
      throw new DataException("the standard input cannot be read: " + e.getMessage(), e);
    }
  }

  /** Writes a line for people, and the result as JSON if that was asked for. */
  final void report(String line, Map<String, @Nullable Object> result) throws IOException {
    if (json.isTextWanted()) {
      spec.commandLine().getOut().println(line);
      spec.commandLine().getOut().flush();
    }
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("name", name);
    all.putAll(result);
    json.write(all);
  }
}
