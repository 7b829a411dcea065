/** What the names in a store stand for: the type of each structure, as its description says it. */
@NullMarked
package io.howdah.cli.catalogue;

import org.jspecify.annotations.NullMarked;
