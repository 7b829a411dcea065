/** What the views of collections as those of {@code java.util} have in common. */
@NullMarked
package io.howdah.collections.views;

import org.jspecify.annotations.NullMarked;
