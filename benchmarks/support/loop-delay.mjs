// Loaded into a service that is measured (NODE_OPTIONS=--import): writes how late its event loop was at most, in ms, into
// a file of LOOP_DELAY_FOLDER, twice a second. Its child processes, which compute, are left alone.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const WRITTEN_EVERY_MS = 500;
const RESOLUTION_MS = 5;
const folder = process.env.LOOP_DELAY_FOLDER;

if (folder !== undefined && process.argv[1]?.endsWith('main.js')) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const write = () => {
    writeFileSync(join(folder, `${process.pid}-${Date.now()}`), String(delay.max / 1e6 - RESOLUTION_MS));
    delay.reset();
  };
  setInterval(write, WRITTEN_EVERY_MS).unref();
}
