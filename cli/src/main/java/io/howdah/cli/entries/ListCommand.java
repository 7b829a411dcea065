package io.howdah.cli.entries;

import io.howdah.StoreInspection;
import io.howdah.cli.command.StoreOption;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.PrintableText;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code howdah ls}. */
@Command(
    name = "ls",
    description = {
      "Lists the structures of a store: name, number of entries, space, and type: the kind and the"
          + " codecs of keys, values or elements. howdah inspect shows more.",
      "Nothing in the store is changed; no process may have it open for writing."
    },
    mixinStandardHelpOptions = true)
public final class ListCommand implements Callable<Integer> {

  private static final int MAX_NAME_COLUMNS = 40;
  private static final int FIGURE_COLUMNS = 12;

  @Mixin private StoreOption store;

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  /** For the command line. */
  public ListCommand() {}

  @Override
  public Integer call() throws Exception {
    List<StoreInspection.Collection> found;
    try (StoreOption.Opened open = store.openToRead()) {
      found = open.store().admin().inspect().collections();
    }
    if (json.isTextWanted()) {
      show(found);
    }
    json.write(Map.of("structures", found.stream().map(InspectionTree::brief).toList()));
    return 0;
  }

  private void show(List<StoreInspection.Collection> found) {
    Screen screen = Screen.of(spec.commandLine());
    if (found.isEmpty()) {
      screen.plainLine("  no structures");
      return;
    }
    List<String> names = new ArrayList<>();
    found.forEach(each -> names.add(PrintableText.of(each.name())));
    int width = names.stream().mapToInt(String::length).max().orElse(0);
    Table table =
        new Table()
            .text("name", Math.min(width, MAX_NAME_COLUMNS))
            .figure("entries", FIGURE_COLUMNS)
            .figure("space", FIGURE_COLUMNS)
            .text("type", 0);
    screen.plainLine(table.head());
    for (int i = 0; i < found.size(); i++) {
      StoreInspection.Collection each = found.get(i);
      screen.plainLine(
          table.row(
              names.get(i),
              Figures.count(each.size()),
              Figures.bytes((double) each.bytes()),
              PrintableText.of(each.type())));
    }
  }
}
