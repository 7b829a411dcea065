package io.howdah.nvmsim.crash.thynvm;

import io.howdah.nvmsim.thynvm.control.PaperController;
import java.util.function.Supplier;

/**
 * The recovery of §4.5 on what NVM holds after a power failure. Before its first step, swaps of the
 * incomplete checkpoint are undone and their records cleared; both may be cut and done again.
 */
final class Recovery {
  private final NvmCells cells;
  private final long[] nvm;
  private int writesLeft;

  private Recovery(NvmCells cells, long[] nvm, int writes) {
    this.cells = cells;
    this.nvm = nvm;
    writesLeft = writes;
  }

  /**
   * Recovers, in place.
   *
   * @param writes power fails again after so many writes
   * @return whether recovery came to its end
   */
  static boolean run(NvmCells cells, long[] nvm, int writes) {
    Recovery recovery = new Recovery(cells, nvm, writes);
    return recovery.undoSwaps() && recovery.clearSwaps();
  }

  /** The newest complete epoch, 0 if there is none. */
  static long epoch(NvmCells cells, long[] nvm) {
    return nvm[cells.completed()];
  }

  private boolean write(int cell, long value) {
    if (writesLeft == 0) {
      return false;
    }
    writesLeft--;
    nvm[cell] = value;
    return true;
  }

  private boolean undoSwaps() {
    long broken = epoch(cells, nvm) + 1;
    for (int i = 0; i < cells.swapCells(); i++) {
      long record = nvm[cells.swap(broken, i)];
      if (NvmCells.high(record) == broken
          && !write((int) NvmCells.low(record), nvm[(int) NvmCells.middle(record)])) {
        return false;
      }
    }
    return true;
  }

  private boolean clearSwaps() {
    long broken = epoch(cells, nvm) + 1;
    for (int i = 0; i < cells.swapCells(); i++) {
      if (nvm[cells.swap(broken, i)] != 0 && !write(cells.swap(broken, i), 0)) {
        return false;
      }
    }
    return true;
  }

  /** What software sees of a block, by the tables of the newest complete epoch. */
  static void image(NvmCells cells, long[] nvm, long[] image) {
    System.arraycopy(nvm, 0, image, 0, image.length);
    long epoch = epoch(cells, nvm);
    if (epoch == 0) {
      return;
    }
    int pageBlocks = cells.space().pageBlocks();
    for (int entry = 0; entry < cells.space().pages(); entry++) {
      long cell = nvm[cells.page(epoch, entry)];
      if (cell != 0 && NvmCells.middle(cell) == 0) {
        int first = (int) (NvmCells.low(cell) - 1) * pageBlocks;
        for (int i = 0; i < pageBlocks; i++) {
          image[first + i] = nvm[(int) cells.space().pageCheckpoint(entry, i)];
        }
      }
    }
    for (int entry = 0; entry < cells.blockEntries(); entry++) {
      long cell = nvm[cells.block(epoch, entry)];
      if (cell != 0) {
        image[(int) NvmCells.low(cell) - 1] = nvm[(int) NvmCells.middle(cell)];
      }
    }
  }

  /** Puts the recovered tables into a new controller, whose first epoch is the broken one. */
  static PaperController restart(
      NvmCells cells, long[] nvm, Supplier<PaperController> controllers) {
    PaperController controller = controllers.get();
    long epoch = epoch(cells, nvm);
    controller.restart(epoch + 1);
    if (epoch == 0) {
      return controller;
    }
    for (int entry = 0; entry < cells.blockEntries(); entry++) {
      long cell = nvm[cells.block(epoch, entry)];
      if (cell != 0) {
        controller.restoreBlock(NvmCells.low(cell) - 1, NvmCells.middle(cell), epoch);
      }
    }
    for (int entry = 0; entry < cells.space().pages(); entry++) {
      long cell = nvm[cells.page(epoch, entry)];
      if (cell != 0) {
        controller.restorePage(entry, NvmCells.low(cell) - 1, NvmCells.middle(cell) != 0);
      }
    }
    return controller;
  }
}
