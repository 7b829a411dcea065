/**
 * The ground every other module stands on: off-heap words addressed by offset ({@code Region}), the
 * errors a caller can meet, and, in subpackages, the on-disk layouts and the port to storage.
 */
@NullMarked
package io.howdah.core;

import org.jspecify.annotations.NullMarked;
