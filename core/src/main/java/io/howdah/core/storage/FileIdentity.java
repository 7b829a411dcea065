package io.howdah.core.storage;

/** Which file a name leads to: two names with equal identities are one file. */
public record FileIdentity(long device, long inode) {}
