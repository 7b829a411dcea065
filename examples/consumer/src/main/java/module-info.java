/** A program of somebody else, on the module path. */
module shop {
  requires io.howdah;
}
