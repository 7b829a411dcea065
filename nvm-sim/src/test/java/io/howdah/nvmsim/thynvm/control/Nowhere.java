package io.howdah.nvmsim.thynvm.control;

/** Moves no data. */
final class Nowhere implements DataPath {
  @Override
  public void copy(long from, long to, Purpose purpose) {}

  @Override
  public void writeBack(long from, long to, Purpose purpose) {}

  @Override
  public void drain() {}

  @Override
  public void swap(long slot, long home, long savedIn, long epoch) {}

  @Override
  public void backUpBlocks(long epoch) {}

  @Override
  public void backUpPages(long epoch) {}
}
