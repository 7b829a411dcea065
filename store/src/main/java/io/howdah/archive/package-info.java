/**
 * Archives: continuous copies of open stores. {@link io.howdah.archive.Archive} says where and how
 * often, {@link io.howdah.archive.ArchiveTarget} is the place, and {@code StoreArchives} in {@code
 * io.howdah} lists, verifies and restores what is there. A place that cannot append is an {@link
 * io.howdah.archive.ObjectStore}; {@code ObjectPart} has the names of what lies there.
 */
@NullMarked
package io.howdah.archive;

import org.jspecify.annotations.NullMarked;
