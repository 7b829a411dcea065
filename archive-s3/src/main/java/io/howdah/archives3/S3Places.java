package io.howdah.archives3;

import io.howdah.archive.ArchivePlaces;
import io.howdah.archive.ArchiveTarget;
import java.util.function.Supplier;

/**
 * Addresses of the form {@code s3://BUCKET[/PREFIX][?OPTION&...]}. Options are {@code region=NAME},
 * {@code endpoint=URL} of another object store than that of AWS, and {@code path-style=true} for
 * one that has its buckets in paths instead of host names. Credentials are those of the SDK's
 * default chain: system properties, environment, profile, web identity, container, instance; an
 * address has none.
 */
public final class S3Places implements ArchivePlaces {

  /** Creates it, for the service loader. */
  public S3Places() {}

  @Override
  public String scheme() {
    return S3Address.SCHEME;
  }

  @Override
  public Supplier<ArchiveTarget> at(String address) {
    S3Address parsed = S3Address.parse(address);
    return () ->
        ArchiveTarget.over(
            new S3Requests(
                parsed.client(S3Limits.DEFAULT), parsed.bucket(), parsed.prefix(), true));
  }
}
