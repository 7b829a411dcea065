/**
 * Archives of stores in buckets of S3, or of an object store with the same protocol. Start reading
 * at {@link io.howdah.archives3.S3Archives}; {@code Part} has the names of what lies in the bucket.
 */
@NullMarked
package io.howdah.archives3;

import org.jspecify.annotations.NullMarked;
