/**
 * The time by which entries of maps expire, and the thread that reclaims those that have.
 *
 * <p>Start reading at {@link io.howdah.collections.expiry.ExpiryClock}: its first paragraphs say
 * why no transaction can see whether an expired entry was reclaimed.
 */
@NullMarked
package io.howdah.collections.expiry;

import org.jspecify.annotations.NullMarked;
