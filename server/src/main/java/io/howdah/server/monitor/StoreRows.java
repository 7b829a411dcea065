package io.howdah.server.monitor;

import io.howdah.StoreAdmin;
import io.howdah.StoreFigure;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The rows of {@code stats} that tell of the store: its figures that are cheap to read. The figure
 * {@code logBytes} is the row {@code howdah_log_bytes}.
 */
public final class StoreRows {

  private static final Map<String, StoreFigure> FIGURES = figures();

  private StoreRows() {}

  private static Map<String, StoreFigure> figures() {
    Map<String, StoreFigure> figures = new HashMap<>();
    for (StoreFigure figure : StoreFigure.all()) {
      if (figure.isCheap()) {
        figures.put(row(figure), figure);
      }
    }
    return Map.copyOf(figures);
  }

  private static String row(StoreFigure figure) {
    return "howdah_" + figure.name().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  /** Returns the figure of a row; null for a row that does not tell of the store. */
  static @Nullable StoreFigure figure(String row) {
    return FIGURES.get(row);
  }

  /** Calls a function with the rows of a store and their values. */
  public static void write(StoreAdmin store, BiConsumer<String, String> row) {
    List<StoreFigure> cheap = StoreFigure.of(store).stream().filter(StoreFigure::isCheap).toList();
    StoreFigure.read(cheap, store)
        .forEach((figure, value) -> row.accept(row(figure), Long.toString(value)));
  }
}
