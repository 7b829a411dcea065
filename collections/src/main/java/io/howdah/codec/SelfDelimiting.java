package io.howdah.codec;

/**
 * Marks codecs that take exactly their own bytes when they decode, and no encoding of which is the
 * beginning of another one: so other bytes may follow without a length.
 */
interface SelfDelimiting {}
