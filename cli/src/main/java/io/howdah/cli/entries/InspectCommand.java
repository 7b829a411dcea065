package io.howdah.cli.entries;

import io.howdah.StoreInspection;
import io.howdah.cli.command.StoreOption;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.PrintableText;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import io.howdah.objects.Orphans;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah inspect}. */
@Command(
    name = "inspect",
    description = {
      "Shows the contents of a store: roots, collections with their types, the shape of trees, the"
          + " bounds of caches, and the space that each type takes. Every tree is verified, and the"
          + " account of every cache is compared with its entries.",
      "Nothing is changed. Other processes may read the store at the same time, but none may have it open for writing. A store whose process was killed is shown as its next opening will recover it."
    },
    mixinStandardHelpOptions = true)
public final class InspectCommand implements Callable<Integer> {

  private static final int NAME_COLUMNS = 24;
  private static final int TYPE_COLUMNS = 32;
  private static final int FIGURE_COLUMNS = 12;

  @Option(
      names = "--orphans",
      description =
          "Also finds the objects that no root, collection or object refers to. Reads all blocks.")
  private boolean orphans;

  @Mixin private StoreOption store;

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  /** For the command line. */
  public InspectCommand() {}

  @Override
  public Integer call() throws IOException {
    StoreInspection found;
    List<Orphans> lost = List.of();
    try (StoreOption.Opened open = store.openToRead()) {
      found = open.store().admin().inspect();
      if (orphans) {
        lost = open.store().admin().orphans();
      }
    }
    if (json.isTextWanted()) {
      show(found, lost);
    }
    Map<String, Object> tree = InspectionTree.of(found);
    if (orphans) {
      tree.put("orphans", lost.stream().map(InspectionTree::orphans).toList());
    }
    json.write(tree);
    return 0;
  }

  private void show(StoreInspection found, List<Orphans> lost) {
    Screen screen = Screen.of(spec.commandLine());
    showCollections(screen, found);
    showTrees(screen, found);
    showCaches(screen, found);
    showTypes(screen, found);
    showSpace(screen, found);
    showRoots(screen, found);
    if (orphans) {
      showOrphans(screen, lost);
    }
    screen.plainLine("");
  }

  private static void showCollections(Screen screen, StoreInspection found) {
    if (found.collections().isEmpty()) {
      screen.plainLine("");
      screen.plainLine("  no collections");
      return;
    }
    Table table =
        new Table()
            .text("collection", NAME_COLUMNS)
            .figure("size", FIGURE_COLUMNS)
            .figure("blocks", FIGURE_COLUMNS)
            .figure("space", FIGURE_COLUMNS)
            .text("type", TYPE_COLUMNS);
    head(screen, table);
    for (StoreInspection.Collection collection : found.collections()) {
      screen.plainLine(
          table.row(
              PrintableText.of(collection.name()),
              Figures.count(collection.size()),
              Figures.count(collection.blocks()),
              bytes(collection.bytes()),
              PrintableText.of(collection.type())));
    }
  }

  private static void showTrees(Screen screen, StoreInspection found) {
    Table table =
        new Table()
            .text("tree", NAME_COLUMNS)
            .figure("level", FIGURE_COLUMNS)
            .figure("nodes", FIGURE_COLUMNS)
            .figure("keys", FIGURE_COLUMNS)
            .figure("full", FIGURE_COLUMNS);
    boolean isFirst = true;
    for (StoreInspection.Collection collection : found.collections()) {
      int level = 0;
      for (StoreInspection.TreeLevel each : collection.levels()) {
        if (isFirst) {
          head(screen, table);
          isFirst = false;
        }
        boolean isLeaves = ++level == collection.levels().size();
        screen.plainLine(
            table.row(
                level == 1 ? PrintableText.of(collection.name()) : "",
                isLeaves ? "leaves" : level == 1 ? "root" : "" + level,
                Figures.count(each.nodes()),
                Figures.count(each.keys()),
                "%.0f %%".formatted(100 * each.fill())));
      }
    }
  }

  private static void showCaches(Screen screen, StoreInspection found) {
    Table table =
        new Table()
            .text("cache", NAME_COLUMNS)
            .figure("entries", FIGURE_COLUMNS)
            .figure("of at most", FIGURE_COLUMNS)
            .figure("weight", FIGURE_COLUMNS)
            .figure("of at most", FIGURE_COLUMNS)
            .figure("evicted", FIGURE_COLUMNS);
    boolean isFirst = true;
    for (StoreInspection.Collection collection : found.collections()) {
      Optional<StoreInspection.CacheBound> cache = collection.cache();
      if (cache.isEmpty()) {
        continue;
      }
      if (isFirst) {
        head(screen, table);
        isFirst = false;
      }
      StoreInspection.CacheBound bound = cache.get();
      boolean isOfBytes = bound.maxBytes() != Long.MAX_VALUE;
      boolean isOfEntries = bound.maxEntries() != Long.MAX_VALUE;
      screen.plainLine(
          table.row(
              PrintableText.of(collection.name()),
              Figures.count(collection.size()),
              isOfEntries ? Figures.count(bound.maxEntries()) : "",
              bytes(bound.usedBytes()),
              isOfBytes ? bytes(bound.maxBytes()) : "",
              Figures.count(bound.evictions())));
    }
  }

  private static void showTypes(Screen screen, StoreInspection found) {
    if (found.types().isEmpty()) {
      return;
    }
    Table table =
        new Table().text("type of objects", TYPE_COLUMNS).text("properties", TYPE_COLUMNS);
    head(screen, table);
    found.types().forEach((name, layout) -> screen.plainLine(table.row(name, layout)));
  }

  private static void showSpace(Screen screen, StoreInspection found) {
    SortedMap<String, Long> byType = new TreeMap<>();
    long collections = 0;
    for (StoreInspection.Collection collection : found.collections()) {
      byType.merge(collection.type(), collection.bytes(), Long::sum);
      collections += collection.bytes();
    }
    Table table = new Table().figure("space", FIGURE_COLUMNS).text("by type", TYPE_COLUMNS);
    head(screen, table);
    byType.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .forEach(
            type ->
                screen.plainLine(
                    table.row(bytes(type.getValue()), PrintableText.of(type.getKey()))));
    long own = found.blockBytes() - collections - found.nameBytes();
    screen.plainLine(table.row(bytes(found.nameBytes()), "names"));
    screen.plainLine(table.row(bytes(own), "objects, and blocks of the application"));
    screen.plainLine(table.row(bytes(found.freeBytes()), "free between them"));
    screen.plainLine(
        table.row(bytes(found.reclaimableBytes()), "of that, freed by howdah compact"));
    screen.plainLine(table.row(bytes(found.capacityBytes()), "most the store can hold"));
  }

  private static void showRoots(Screen screen, StoreInspection found) {
    if (found.roots().isEmpty()) {
      return;
    }
    Table table = new Table().text("root", FIGURE_COLUMNS).figure("address", FIGURE_COLUMNS);
    head(screen, table);
    found
        .roots()
        .forEach((index, address) -> screen.plainLine(table.row("" + index, "" + address)));
  }

  private static void showOrphans(Screen screen, List<Orphans> lost) {
    if (lost.isEmpty()) {
      screen.plainLine("");
      screen.plainLine("  no orphans: every object is referred to");
      return;
    }
    Table table =
        new Table()
            .text("orphans of type", TYPE_COLUMNS)
            .figure("objects", FIGURE_COLUMNS)
            .figure("space", FIGURE_COLUMNS);
    head(screen, table);
    for (Orphans each : lost) {
      screen.plainLine(table.row(each.type(), Figures.count(each.count()), bytes(each.bytes())));
    }
    screen.plainLine(
        "  Addresses that programs keep outside of the store, in texts, or in compressed or"
            + " encrypted values are not seen.");
  }

  private static String bytes(long count) {
    return Figures.bytes((double) count);
  }

  private static void head(Screen screen, Table table) {
    screen.plainLine("");
    screen.plainLine(table.head());
    screen.plainLine(table.rule());
  }
}
