package io.howdah.objects;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a reference, or an array of references, to objects that belong to this property alone:
 *
 * <pre>{@code
 * @Persistent
 * interface Order {
 *   @Owned Address delivery();
 *   void delivery(Address delivery);
 *
 *   @Owned @Length(10) Line lines(int index);
 *   void lines(int index, Line line);
 * }
 * }</pre>
 *
 * <ul>
 *   <li>{@link PersistentType#free} of an object frees what it owns, and what that owns, in the
 *       same transaction. {@link io.howdah.core.TransactionTooLargeException} says that it is too
 *       much for one.
 *   <li>Setting the property to another object or to null frees the object that was there with all
 *       it owns; setting it to the same object changes nothing. {@link PersistentType#detach} takes
 *       an object out of the property without freeing it.
 *   <li>Freeing an owned object by itself sets the property to null.
 *   <li>An object has at most one owner, and does not own itself, also by way of others: {@link
 *       OwnershipException}.
 *   <li>Other references, and collections, may lead to an owned object. When it has been freed,
 *       they are refused where they are followed, as those to any freed object.
 * </ul>
 *
 * <p>An owned object takes 32 bytes more than others. The property of an embedded object may own
 * others; its owner is the object that it lies in.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Owned {}
