package io.howdah.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Marks of pages, in an array and in a region, at the ends of the maps. */
class DirtyPagesTest {

  private static final int PAGE_BYTES = 4096;

  @TempDir Path folder;

  private Storage storage(boolean inRegion) {
    return inRegion ? SimulatedDisk.seeded(1).storage() : FileStorage.open(folder);
  }

  private static List<Long> marked(DirtyPages dirty) {
    List<Long> pages = new ArrayList<>();
    for (long page = dirty.next(0); page >= 0; page = dirty.next(page + 1)) {
      pages.add(page);
    }
    assertThat(dirty.count()).isEqualTo(pages.size());
    return pages;
  }

  @ParameterizedTest
  @CsvSource({"false, 64", "false, 65", "true, 200", "false, 1024", "true, 1024"})
  void pagesAreMarkedInTheRoundThatIsCurrent(boolean inRegion, long pages) {
    try (Storage storage = storage(inRegion);
        DirtyPages dirty = DirtyPages.create(storage, pages * PAGE_BYTES, PAGE_BYTES)) {
      assertThat(dirty.pageBytes()).isEqualTo(PAGE_BYTES);
      assertThat(dirty.pageOf(PAGE_BYTES - 1)).isZero();
      assertThat(dirty.pageOf(PAGE_BYTES)).isEqualTo(1);
      assertThat(marked(dirty)).isEmpty();
      assertThat(dirty.marks(100)).isEmpty();
      long first = dirty.currentMap();
      dirty.markIn(first, 0);
      dirty.markIn(first, 63);
      dirty.markIn(first, pages - 1);
      dirty.turn();
      long second = dirty.currentMap();
      assertThat(second).isNotEqualTo(first);
      dirty.markIn(second, 5);
      dirty.markIn(second, 63);
      List<Long> all = new ArrayList<>(List.of(0L, 5L, 63L));
      if (pages > 64) {
        all.add(pages - 1);
      }
      assertThat(marked(dirty)).isEqualTo(all);
      dirty.clearFormer(1);
      assertThat(marked(dirty)).containsExactly(5L, 63L);
      assertThat(dirty.marks(100)).containsExactly(1L << 5 | 1L << 63);
      dirty.turn();
      assertThat(dirty.currentMap()).isEqualTo(first);
      dirty.markIn(first, 7);
      dirty.clear(1);
      assertThat(marked(dirty)).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void marksOfBothRoundsAreHandedOutUpToTheLast(boolean inRegion) {
    try (Storage storage = storage(inRegion);
        DirtyPages dirty = DirtyPages.create(storage, 640L * PAGE_BYTES, PAGE_BYTES)) {
      dirty.markAll(dirty.currentMap(), 64, 6);
      dirty.turn();
      dirty.markAll(dirty.currentMap(), 64, 5);
      dirty.markIn(dirty.currentMap(), 192);
      assertThat(dirty.marks(4)).containsExactly(0, 7, 0, 1);
      assertThat(dirty.marks(3)).isNull();
      dirty.markIn(dirty.currentMap(), 639);
      assertThat(dirty.marks(10)).hasSize(10).endsWith(1L << 63);
    }
  }

  @Test
  void whatIsRememberedOfAPageIsAByte() {
    try (Storage storage = storage(true);
        DirtyPages dirty = DirtyPages.create(storage, 64 * PAGE_BYTES, PAGE_BYTES)) {
      assertThat(dirty.memory(63)).isZero();
      dirty.remember(63, 255);
      dirty.remember(62, 1);
      assertThat(dirty.memory(63)).isEqualTo(255);
      assertThat(dirty.memory(62)).isEqualTo(1);
      assertThat(dirty.memory(61)).isZero();
      assertThat(dirty.isImageLoaded()).isFalse();
      dirty.imageLoaded();
      assertThat(dirty.isImageLoaded()).isTrue();
    }
  }

  @Test
  void closingGivesMemoryBack() {
    try (Storage storage = storage(true)) {
      DirtyPages dirty = DirtyPages.create(storage, 64 * PAGE_BYTES, PAGE_BYTES);
      dirty.close();
      assertThatThrownBy(() -> dirty.memory(0)).isInstanceOf(RuntimeException.class);
      assertThatThrownBy(dirty::count).isInstanceOf(RuntimeException.class);
    }
  }
}
