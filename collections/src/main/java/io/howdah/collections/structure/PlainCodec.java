package io.howdah.collections.structure;

/**
 * Marks codecs that call no code of the program, so that the transaction keeps its buffers for
 * them.
 */
public interface PlainCodec {}
