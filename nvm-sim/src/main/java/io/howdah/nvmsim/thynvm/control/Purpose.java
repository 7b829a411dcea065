package io.howdah.nvmsim.thynvm.control;

/** Why the controller moves a block, as Figure 8 divides the write traffic. */
public enum Purpose {
  CHECKPOINT,
  MIGRATION
}
