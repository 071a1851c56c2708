import type { Logger } from 'pino';
import type { ReachConfig } from '../config.js';
import { ReachError } from '../errors.js';
import type { Reach } from '../reach.js';
import { createHttpApp } from './http-app.js';
import { WorkGate } from './work-gate.js';

/** The started HTTP door. */
export interface HttpDoor {
  /** `http://host:port`, with the port that was really taken. */
  readonly address: string;
  /** Takes no new work, lets running work end, then closes every connection. Later calls get the first promise. */
  close(): Promise<void>;
}

function listenError(thrown: unknown, host: string, port: number): ReachError {
  const { code } = thrown as NodeJS.ErrnoException;
  const place = `Port ${port} of ${host}`;
  if (code === 'EADDRINUSE') {
    const way = 'stop what listens there or choose another with --port or REACH_PORT';
    return new ReachError('PORT_TAKEN', `${place} is already in use: ${way}.`, { cause: thrown });
  }
  return new ReachError('CONFIG_INVALID', `${place} cannot be listened on (${code ?? 'unknown'}).`, {
    cause: thrown,
  });
}

/**
 * Serves `reach` over HTTP on the host and port of the configuration.
 * @throws ReachError PORT_TAKEN; CONFIG_INVALID where the host or port cannot be listened on.
 */
export async function startHttp(
  reach: Reach,
  { host, port }: Pick<ReachConfig, 'host' | 'port'>,
  logger: Logger,
): Promise<HttpDoor> {
  const gate = new WorkGate();
  const app = await createHttpApp(reach, gate, logger);
  const address = await app.listen({ host, port }).catch((thrown: unknown) => {
    throw listenError(thrown, host, port);
  });

  const closeOnce = async () => {
    const idle = gate.shut();
    const closed = app.close();
    await idle;
    // What is left are connections on which nothing was asked, or not yet wholly: close() alone would wait for them.
    app.server.closeAllConnections();
    await closed;
  };
  let closing: Promise<void> | undefined;
  return {
    address,
    close() {
      closing ??= closeOnce();
      return closing;
    },
  };
}
