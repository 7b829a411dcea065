/**
 * Archives: continuous copies of open stores. {@link io.howdah.archive.Archive} says where and how
 * often, {@link io.howdah.archive.ArchiveTarget} is the place, and {@code StoreArchives} in {@code
 * io.howdah} lists, verifies and restores what is there.
 */
@NullMarked
package io.howdah.archive;

import org.jspecify.annotations.NullMarked;
