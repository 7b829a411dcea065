package io.howdah.store.archive;

import io.howdah.core.StoreId;

/**
 * Names a run: a part of an archive in which log and bases belong together.
 *
 * @param number from 1; 0 for the object that names the archive
 * @param nonce random, so that two processes never write to the same objects
 */
record RunId(StoreId storeId, long number, long nonce) {}
