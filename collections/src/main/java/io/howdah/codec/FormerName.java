package io.howdah.codec;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names that a type, a record's component or an enum's constant had before. Stores that know it by
 * one of them go on with it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.RECORD_COMPONENT, ElementType.FIELD})
public @interface FormerName {

  /** The names; of a type, its {@link PersistentName}, or the full name of its class. */
  String[] value();
}
