package io.howdah.txn;

/** Marks codecs that call no code of a program: they need no buffers of their own. */
interface PlainCodec {}
