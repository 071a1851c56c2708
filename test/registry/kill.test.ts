import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';

const KILLS = 50;
/** Folders that are worked on at the same time, so that both cores have something to do. */
const FOLDERS = 2;

type Line =
  | ['found', agentName: string, version: number, stamp: string]
  | ['loaded', catalogueVersion: number]
  | ['acknowledged', agentName: string, version: number, catalogueVersion: number];

/** When a publisher is killed: some ms after it was started, or after it has first printed such a line. */
type Moment = { readonly after: 'start' | 'loaded' | 'acknowledged'; readonly delayMs: number };

/** Of five kills one comes while it starts, one around its first publishes, three in the thick of it. */
function momentOf(kill: number): Moment {
  if (kill % 5 === 0) return { after: 'start', delayMs: Math.random() * 400 };
  if (kill % 5 === 1) return { after: 'loaded', delayMs: Math.random() * 60 };
  return { after: 'acknowledged', delayMs: Math.random() * 40 };
}

/** Runs the publisher and kills it at the moment; what it printed. */
async function publishUntilKilled(folder: string, { after, delayMs }: Moment): Promise<Line[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'publisher.mjs'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const exited = once(child, 'exit');
  let pending: Moment['after'] | undefined = after;
  const reached = (moment: Line[0] | 'start') => {
    if (moment !== pending) return;
    pending = undefined;
    setTimeout(() => child.kill('SIGKILL'), delayMs);
  };
  reached('start');
  const lines: Line[] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    reached(line[0]);
  }
  expect(await exited).toEqual([null, 'SIGKILL']);
  return lines;
}

/** Kills `kills` publishers of one folder, one after the other; how many publishes were acknowledged. */
async function surviveKills(kills: number): Promise<number> {
  const folder = await temporaryFolder();
  /** What must be there: acknowledged, or found at a start. */
  const kept = new Map<string, number>();
  let catalogueVersion = 0;
  let count = 0;
  // One more than asked for, in the thick of it: it tells what the last kill has left.
  for (let kill = 0; kill <= kills; kill += 1) {
    const lines = await publishUntilKilled(folder, momentOf(kill === kills ? 2 : kill));
    const found = new Map<string, number>();
    for (const line of lines) {
      if (line[0] === 'found') {
        const [, agentName, version, stamp] = line;
        expect(stamp).toBe(`${agentName} ${version}`);
        found.set(agentName, version);
      } else if (line[0] === 'loaded') {
        for (const [agentName, version] of kept) {
          // The one publish that was under way may have been stored, its answer lost.
          expect([version, version + 1]).toContain(found.get(agentName));
        }
        for (const [agentName, version] of found) kept.set(agentName, version);
        expect(line[1]).toBeGreaterThanOrEqual(catalogueVersion);
        expect(line[1]).toBe([...found.values()].reduce((sum, version) => sum + version, 0));
      } else if (line[0] === 'acknowledged') {
        kept.set(line[1], line[2]);
        catalogueVersion = Math.max(catalogueVersion, line[3]);
        count += 1;
      } else {
        expect.unreachable(`the publisher printed ${JSON.stringify(line)}`);
      }
    }
  }
  return count;
}

test(`${KILLS} times kill -9 while publishing loses no acknowledged publish`, {
  timeout: 300_000,
}, async () => {
  const counts = await Promise.all(Array.from({ length: FOLDERS }, () => surviveKills(KILLS / FOLDERS)));
  // Otherwise nothing was tested.
  for (const count of counts) expect(count).toBeGreaterThanOrEqual(KILLS / FOLDERS / 2);
});
