package io.howdah.springdata;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A property of an entity by which entities are found without reading all of them: the entity's map
 * gets an index of the property's name. Queries and sorting use it. An entity whose property is
 * null is not in the index.
 *
 * <p>An index that is added to entities which are stored already is built when the repository is
 * created.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.RECORD_COMPONENT})
public @interface Indexed {

  /**
   * Returns whether one entity at most may have a value. Saving a second one throws Spring's {@code
   * DuplicateKeyException}.
   */
  boolean unique() default false;
}
