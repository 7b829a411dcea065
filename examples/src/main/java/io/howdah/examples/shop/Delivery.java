package io.howdah.examples.shop;

import io.howdah.examples.shop.RefusedException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A table of what a supplier has brought, with a name of its own. A row is an article, the price of
 * a piece and the number of pieces, separated by tabs. Every row is checked before the first is
 * taken into stock.
 */
record Delivery(String name, List<Map.Entry<String, Article>> rows) {

  private static final BigDecimal MAX_PRICE = BigDecimal.valueOf(1_000_000);
  private static final int MAX_PIECES = 1_000_000;

  /** Reads a file; its name is the delivery's. */
  static Delivery read(Path file) {
    try {
      return parse(file.getFileName().toString(), Files.readAllLines(file));
    } catch (MalformedInputException e) {
      throw new RefusedException(Reason.INVALID, file + " is not UTF-8");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads the rows of a table. */
  static Delivery parse(String name, List<String> lines) {
    List<Map.Entry<String, Article>> rows = new ArrayList<>(lines.size());
    for (int i = 0; i < lines.size(); i++) {
      String[] cells = lines.get(i).split("\t", -1);
      try {
        rows.add(row(cells));
      } catch (RefusedException | NumberFormatException e) {
        throw new RefusedException(
            Reason.INVALID,
            "%s, line %d: not an article, a price from 0 to %s and 1 to %d pieces: \"%s\""
                .formatted(name, i + 1, MAX_PRICE, MAX_PIECES, lines.get(i)));
      }
    }
    return new Delivery(name, List.copyOf(rows));
  }

  private static Map.Entry<String, Article> row(String[] cells) {
    if (cells.length != 3 || cells[1].length() > 20) {
      throw new NumberFormatException();
    }
    BigDecimal price = new BigDecimal(cells[1]);
    int pieces = Integer.parseInt(cells[2]);
    if (price.signum() < 0
        || price.compareTo(MAX_PRICE) > 0
        || price.scale() > 2
        || price.scale() < 0
        || pieces < 1
        || pieces > MAX_PIECES) {
      throw new NumberFormatException();
    }
    return Map.entry(Form.name(cells[0], "article"), new Article(price, pieces));
  }
}
