/** A store under Micrometer and Spring. */
@NullMarked
package io.howdah.examples.metrics;

import org.jspecify.annotations.NullMarked;
