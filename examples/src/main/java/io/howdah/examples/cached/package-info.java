/** A service whose answers Spring caches in a store, by JCache. */
@NullMarked
package io.howdah.examples.cached;

import org.jspecify.annotations.NullMarked;
