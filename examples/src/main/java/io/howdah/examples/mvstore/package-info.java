/** From an MVStore file into a store. */
@NullMarked
package io.howdah.examples.mvstore;

import org.jspecify.annotations.NullMarked;
