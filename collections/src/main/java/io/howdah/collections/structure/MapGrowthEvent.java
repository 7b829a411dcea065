package io.howdah.collections.structure;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** The growth of a map or a set that follows a commit, with the commits that it takes. */
@Name("io.howdah.MapGrowth")
@Label("Map Growth")
@Category({"Howdah", "Collections"})
@StackTrace(false)
@Threshold("1 ms")
final class MapGrowthEvent extends Event {

  @Label("Buckets Split")
  int buckets;

  @Label("Entries Moved")
  int moved;
}
