import type { Command } from 'commander';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { ALL_SETTINGS, addConfigFlags, settingsOf } from './config-flags.js';
import { type Running, runUntilSignal } from './run-until-signal.js';

const served = ({ address }: Running) =>
  `Agent-Reach listens on ${address}, its API is described at ${address}/docs\nStop it with Ctrl+C\n`;

const tryIt = ({ address }: Running) =>
  [
    `Agent-Reach is ready on ${address} (API: ${address}/docs)`,
    '',
    'Try:',
    `  curl -s ${address}/api/v1/route -H 'content-type: application/json' -d '{"intent": "where is my order 20231188"}'`,
    '',
    'Stop it with Ctrl+C',
    '',
  ].join('\n');

/** `serve` and `demo`: run until SIGINT or SIGTERM. */
export function addServeCommands(program: Command, services: CliServices, act: Act): void {
  const add = (name: 'serve' | 'demo', description: string, greeting: (running: Running) => string) => {
    const command = addConfigFlags(program.command(name).description(description), ALL_SETTINGS);
    act(command, () => {
      const options = settingsOf(command, ALL_SETTINGS, services.env);
      return runUntilSignal((signal) => services[name](options, signal), services.signals, {
        onStarted: (running) => services.stdout.write(greeting(running)),
        onStopping: () =>
          services.stderr.write('Stopping when the running work has ended; again to stop now\n'),
      });
    });
  };
  add('serve', 'serve the HTTP API', served);
  add('demo', 'serve with sample agents beside it', tryIt);
}
