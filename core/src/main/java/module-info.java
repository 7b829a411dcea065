/** Off-heap memory, on-disk layouts, the storage port and the errors of Howdah. */
module io.howdah.core {
  requires static org.jspecify;
  // Direct I/O: ExtendedOpenOption.DIRECT lives there and is looked up by name.
  requires jdk.unsupported;
}
