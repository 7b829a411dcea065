package io.howdah.collections.structure;

/** Marks codecs that call no code of a program: they need no buffers of their own. */
public interface PlainCodec {}
