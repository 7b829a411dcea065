package io.howdah.objects;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says how much room a property of a {@link Persistent} object has within the object: of a string
 * or of bytes, how many bytes it may have; of an array, whose getter takes an index, how many
 * elements.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Length {

  /** Returns the length, 1 to 65536. */
  int value();
}
