package io.howdah.objects;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a property that belongs to a {@link Persistent} object and yet does not persist, such as a
 * count of those who use it at present: it begins as 0 or null with every opening of the store and
 * with every new object, however the last one ended.
 *
 * <p>It may have any type. It is kept on the Java heap, is never logged, and is not part of
 * transactions: a change is seen at once and is not undone. It takes memory for the objects whose
 * property was set, until they are freed or the store is closed, or until the transaction that made
 * them has ended without a commit.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface NotPersistent {}
