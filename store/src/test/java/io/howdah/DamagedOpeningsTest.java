package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.DamagedStores.Base;
import io.howdah.DamagedStores.Found;
import io.howdah.DamagedStores.Left;
import io.howdah.DamagedStores.Opening;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Damaged stores, opened in every way: right data, a typed error, or wrong data in pages of the
 * image that a mapped opening does not check and that a check of the store finds; never an empty,
 * partial or older store. {@code -Dhowdah.damages=1000} tries as many.
 */
class DamagedOpeningsTest {

  private static final int DAMAGES = Integer.getInteger("howdah.damages", 80);

  private static final Map<Base, Left> STORES = DamagedStores.make();

  private final List<String> wrong = new ArrayList<>();
  private final Map<String, Map<Found, Integer>> table = new TreeMap<>();

  private static Left left(Base base) {
    return Objects.requireNonNull(STORES.get(base));
  }

  @Test
  void damageOfAnyKindIsNoticedOrDoesNoHarm() {
    List<Base> bases = List.of(Base.values());
    for (int seed = 0; seed < DAMAGES; seed++) {
      Left left = left(bases.get(seed % bases.size()));
      SimulatedDisk disk = left.disk().fork();
      String what = DamagedStores.damage(left, disk, seed);
      judge(left, disk, "seed " + seed + ": " + what, what.substring(0, what.indexOf(' ')));
    }
    if (DAMAGES > 100) {
      table.forEach((row, counts) -> System.out.println(row + " " + counts));
    }
    assertThat(wrong).isEmpty();
  }

  /** Damage there would change what every transaction goes by. */
  @Test
  void everyOpeningChecksTheHeaderOfTheRegion() {
    for (Base base : List.of(Base.CLOSED, Base.KILLED, Base.KILLED_WITHOUT_RINGS)) {
      Left left = left(base);
      for (long offset : new long[] {0, 16, 4095, 4096, 8191}) {
        SimulatedDisk disk = left.disk().fork();
        disk.flipBit("image", offset, 3);
        for (Opening how : Opening.values()) {
          assertThat(DamagedStores.open(left, disk, how, true))
              .as("%s, offset %d, %s", base, offset, how)
              .isEqualTo(Found.TYPED);
        }
      }
    }
  }

  /** Each set of the files of a store missing, and each two of them truncated or zeroed. */
  @Test
  void noSetOfFilesIsMissingUnnoticed() {
    List<String> parts =
        List.of("store.howdah", "image", "image.sums", "journal/", "log/", "rings/");
    for (Left left : STORES.values()) {
      for (int set = 1; set < 1 << parts.size(); set++) {
        for (String what : List.of("missing", "truncated", "empty", "zeroed")) {
          if (!what.equals("missing") && Integer.bitCount(set) > 2) {
            continue;
          }
          SimulatedDisk disk = left.disk().fork();
          List<String> damaged = new ArrayList<>();
          for (String file : left.files()) {
            if (isIn(file, parts, set)) {
              damaged.add(file);
              damage(disk, file, what);
            }
          }
          if (damaged.isEmpty() || (damaged.equals(left.files()) && what.equals("missing"))) {
            continue; // Nothing was done, or nothing is left, so there is no store.
          }
          judge(left, disk, what + " " + damaged, damaged.toString());
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static boolean isIn(String file, List<String> parts, int set) {
    for (int part = 0; part < parts.size(); part++) {
      String name = parts.get(part);
      if ((set & 1 << part) != 0
          && (name.endsWith("/") ? file.startsWith(name) : file.equals(name))) {
        return true;
      }
    }
    return false;
  }

  private static void damage(SimulatedDisk disk, String file, String what) {
    int length = disk.contents(file).length;
    switch (what) {
      case "missing" -> disk.remove(file);
      case "truncated" -> disk.truncate(file, length / 2);
      case "empty" -> disk.truncate(file, 0);
      default -> DamagedStores.write(disk, file, new byte[length]);
    }
  }

  /** Opens a damaged store in every way, and holds a check to what the openings show. */
  private void judge(Left left, SimulatedDisk disk, String what, String files) {
    String problem = DamagedStores.check(disk);
    Map<Opening, Found> found = new EnumMap<>(Opening.class);
    for (Opening how : Opening.values()) {
      Found shown = DamagedStores.open(left, disk, how, files.contains("image"));
      found.put(how, shown);
      String row = String.format("%-21s %-9s", left.base(), how);
      table.computeIfAbsent(row, _ -> new EnumMap<>(Found.class)).merge(shown, 1, Integer::sum);
    }
    boolean ringsMatter =
        left.base() == Base.KILLED_WITHOUT_RINGS
            || (left.base() == Base.KILLED && files.contains("rings/"));
    for (Map.Entry<Opening, Found> opening : found.entrySet()) {
      boolean fine =
          switch (opening.getValue()) {
            case RIGHT, TYPED -> true;
            case LESS_THE_RINGS -> ringsMatter;
            case WRONG_UNCHECKED -> problem != null;
            case EMPTY, OLDER, WRONG, RAW -> false;
          };
      if (!fine) {
        wrong.add(left.base() + ", " + what + ": " + opening + ", check says " + problem);
      }
    }
    if ((problem != null) != (found.get(Opening.VERIFIED) == Found.TYPED)) {
      wrong.add(left.base() + ", " + what + ": " + found + ", but check says " + problem);
    }
  }
}
