package io.howdah.codec;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The name by which stores know a record, an enum or a sealed interface. It outlives the Java
 * class, which may then be renamed and moved. Without it, the name is the class's full name.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface PersistentName {

  /** The name: 1 to 255 characters, no control characters; not used by another type. */
  String value();

  /**
   * The version of the record, from 0. A program of a smaller version than the store's may read,
   * and is refused when it writes. Raise it when components are removed.
   */
  int version() default 0;
}
