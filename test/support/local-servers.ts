import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface LocalServer {
  readonly url: URL;
  readonly port: number;
  /** Every connection that was ever accepted. */
  readonly sockets: readonly Socket[];
  /** Closes the listener and kills every connection. */
  stop(): Promise<void>;
}

async function listen(server: Server): Promise<LocalServer> {
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
  return { url: new URL(`http://127.0.0.1:${port}/`), port, sockets, stop };
}

/** A real HTTP server on a free port of the loopback, stopped when the test is finished. */
export function httpServer(listener: RequestListener): Promise<LocalServer> {
  return listen(createHttpServer(listener));
}

/** A server that gets each request as the first bytes of it arrive, and may answer anything. */
export function rawServer(onRequest: (socket: Socket, request: string) => void): Promise<LocalServer> {
  return listen(
    createServer((socket) => {
      socket.on('data', (chunk) => onRequest(socket, chunk.toString('latin1')));
    }),
  );
}
