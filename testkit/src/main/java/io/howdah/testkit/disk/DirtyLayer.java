package io.howdah.testkit.disk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What happened to one file from the beginning of a force, or from its creation, to the beginning
 * of the next: the layer below which a completed force makes everything durable.
 */
final class DirtyLayer {

  /** How many lengths are kept; of more, the first and the latest ones. */
  private static final int MAX_SIZES = 64;

  /** Lengths the file has had while this layer took the changes, but for the present one. */
  final List<Long> sizes = new ArrayList<>();

  /** The pages written, by index. */
  final Map<Integer, DirtyPage> pages = new HashMap<>();

  DirtyLayer() {}

  DirtyLayer(DirtyLayer source) {
    sizes.addAll(source.sizes);
    source.pages.forEach((page, dirty) -> pages.put(page, new DirtyPage(dirty)));
  }

  void addSize(long size) {
    if (sizes.size() == MAX_SIZES) {
      sizes.remove(1);
    }
    sizes.add(size);
  }

  boolean isEmpty() {
    return sizes.isEmpty() && pages.isEmpty();
  }

  /** Takes over everything from a later layer. */
  void absorb(DirtyLayer later, int history) {
    later.sizes.forEach(this::addSize);
    later.pages.forEach(
        (page, dirty) -> {
          DirtyPage mine = pages.get(page);
          if (mine == null) {
            pages.put(page, new DirtyPage(dirty));
            return;
          }
          for (int unit = 0; unit < dirty.units(); unit++) {
            if (dirty.isTouched(unit)) {
              mine.absorb(unit, dirty, history);
            }
          }
        });
  }

  /** Takes over only what happened to units that this layer holds already. */
  void absorbWhereTouched(DirtyLayer later, int history) {
    if (!sizes.isEmpty()) {
      later.sizes.forEach(this::addSize);
    }
    pages.forEach(
        (page, mine) -> {
          DirtyPage dirty = later.pages.get(page);
          if (dirty == null) {
            return;
          }
          for (int unit = 0; unit < dirty.units(); unit++) {
            if (dirty.isTouched(unit) && mine.isTouched(unit)) {
              mine.absorb(unit, dirty, history);
            }
          }
        });
  }

  /** Forgets the units that a later layer, now durable, wrote anew. */
  void settleWhereTouched(DirtyLayer later) {
    later.pages.forEach(
        (page, dirty) -> {
          DirtyPage mine = pages.get(page);
          if (mine == null) {
            return;
          }
          for (int unit = 0; unit < dirty.units(); unit++) {
            if (dirty.isTouched(unit)) {
              mine.settle(unit);
            }
          }
        });
    if (!later.sizes.isEmpty()) {
      sizes.clear();
    }
  }
}
