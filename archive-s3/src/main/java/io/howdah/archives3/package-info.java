/**
 * Archives of stores in buckets of S3, or of an object store with the same protocol: the requests
 * behind the port {@link io.howdah.archive.ObjectStore}. Start reading at {@link
 * io.howdah.archives3.S3Archives}.
 */
@NullMarked
package io.howdah.archives3;

import org.jspecify.annotations.NullMarked;
