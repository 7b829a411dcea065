/** Values that Jackson writes and reads. */
@NullMarked
package io.howdah.jackson;

import org.jspecify.annotations.NullMarked;
