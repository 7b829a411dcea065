package io.howdah.objects;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a property of another {@link Persistent} type that lies within its object. It has no
 * setter, comes and goes with its object, and its type cannot get more properties afterwards.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Embedded {}
