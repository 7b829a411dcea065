package io.howdah.clients;

import java.io.IOException;

/** The clients, each with both protocols that it speaks. */
enum ClientKind {
  SPYMEMCACHED_TEXT {
    @Override
    CacheClient connect(int port) throws IOException {
      return new SpyClient(false, port);
    }
  },
  SPYMEMCACHED_BINARY {
    @Override
    CacheClient connect(int port) throws IOException {
      return new SpyClient(true, port);
    }
  },
  XMEMCACHED_TEXT {
    @Override
    CacheClient connect(int port) throws IOException {
      return new XmemClient(false, port);
    }
  },
  XMEMCACHED_BINARY {
    @Override
    CacheClient connect(int port) throws IOException {
      return new XmemClient(true, port);
    }
  },
  FOLSOM_ASCII {
    @Override
    CacheClient connect(int port) throws Exception {
      return FolsomClient.ascii(port);
    }
  },
  FOLSOM_BINARY {
    @Override
    CacheClient connect(int port) throws Exception {
      return FolsomClient.binary(port);
    }
  };

  /** Connects a client of this kind to a server on the loopback address. */
  abstract CacheClient connect(int port) throws Exception;

  boolean isBinary() {
    return name().endsWith("BINARY");
  }
}
