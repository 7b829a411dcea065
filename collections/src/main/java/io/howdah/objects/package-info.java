/**
 * Persistent objects: interfaces whose properties are fields in the region.
 *
 * <p>Start reading at {@link io.howdah.objects.PersistentType}. Accessor classes are generated when
 * a type is opened.
 */
@NullMarked
package io.howdah.objects;

import org.jspecify.annotations.NullMarked;
