package io.howdah.codec;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the constant of an enum that stands for stored constants which the program does not have:
 * those of a newer program, or removed ones. Without it, reading one of those is refused. A value
 * that is written back holds the marked constant.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface UnknownConstant {}
