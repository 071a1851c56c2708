import { createServer as createHttpServer, type RequestListener } from 'node:http';
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { CERT, KEY } from './self-signed.js';

export interface LocalServer {
  readonly url: URL;
  readonly port: number;
  /** Every connection that was ever accepted. */
  readonly sockets: readonly Socket[];
  /** Closes the listener and kills every connection. */
  stop(): Promise<void>;
}

async function listen(server: Server, scheme = 'http'): Promise<LocalServer> {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  onTestFinished(stop);
  return { url: new URL(`${scheme}://127.0.0.1:${port}/`), port, sockets, stop };
}

/** A real HTTP server on a free port of the loopback, stopped when the test is finished. */
export function httpServer(listener: RequestListener): Promise<LocalServer> {
  return listen(createHttpServer(listener));
}

/** The same over TLS, with the certificate of `self-signed.ts`. */
export function httpsServer(listener: RequestListener): Promise<LocalServer> {
  return listen(createHttpsServer({ cert: CERT, key: KEY }, listener), 'https');
}

/** One that speaks h2 alone, with its sessions, every one that there ever was. */
export async function http2Server(
  listener: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  options: SecureServerOptions = {},
): Promise<LocalServer & { readonly sessions: readonly ServerHttp2Session[] }> {
  const sessions: ServerHttp2Session[] = [];
  const server = createSecureServer({ ...options, cert: CERT, key: KEY }, listener);
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => {});
  });
  return { ...(await listen(server, 'https')), sessions };
}

/** A server that agrees on one of these protocols and may then do what it likes. */
export function tlsServer(
  onConnection: (socket: TLSSocket) => void,
  ALPNProtocols: string[],
): Promise<LocalServer> {
  return listen(createTlsServer({ cert: CERT, key: KEY, ALPNProtocols }, onConnection), 'https');
}

/** A server that gets each request as the first bytes of it arrive, and may answer anything. */
export function rawServer(onRequest: (socket: Socket, request: string) => void): Promise<LocalServer> {
  return listen(
    createServer((socket) => {
      socket.on('data', (chunk) => onRequest(socket, chunk.toString('latin1')));
    }),
  );
}
