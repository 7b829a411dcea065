/** Files of earlier releases, which each later one opens. */
@NullMarked
package io.howdah.verify.compatibility;

import org.jspecify.annotations.NullMarked;
