import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RedisServer } from '../test/support/redis-server.js';
import { buildVersion, presentVersion } from './support/built-version.js';
import { withTemporaryFolder } from './support/temporary-folder.js';
import { roll } from './support/upgrade-roll.js';
import { wireFaults } from './support/upgrade-wire.js';

const USAGE = 'npm run -s check:upgrade -- COMMIT';

const say = (line: string) => void process.stdout.write(`${line}\n`);

/**
 * Builds a commit and runs it beside this version, on a file there and on a Redis here: whether services, agents and
 * callers of both understand each other, and whether a service can be replaced under load without a failed call. Exit code
 * 1 where something fails. Needs git, redis-server and haproxy.
 */
async function check(commit: string, folder: string): Promise<boolean> {
  say(`Building ${commit} ...`);
  const before = buildVersion(commit, join(folder, 'before'));
  const after = presentVersion();
  const redis = await RedisServer.start('--maxmemory-policy', 'noeviction');
  try {
    let places = 0;
    const onFile = () => {
      places += 1;
      const place = join(folder, String(places));
      const manifests = join(place, 'manifests');
      mkdirSync(manifests, { recursive: true });
      return { REACH_DATA: join(place, 'data'), REACH_MANIFESTS: manifests, REACH_LOG_LEVEL: 'silent' };
    };
    const onRedis = () => ({ ...onFile(), REACH_STORE: `${redis.url}?prefix=upgrade-${places}` });
    const faults = [
      ...(await wireFaults(before, after, onFile())),
      ...(await wireFaults(after, before, onRedis())),
    ];
    for (const fault of faults) say(fault);
    say(`${faults.length} things that the versions do not understand of each other`);
    const { answered, failed } = await roll(
      { version: before, settings: onFile() },
      { version: after, settings: onRedis() },
    );
    for (const fault of new Set(failed)) say(fault);
    say(`${answered} calls answered while one replaced the other, ${failed.length} failed`);
    return faults.length === 0 && failed.length === 0 && answered > 0;
  } finally {
    await redis.remove();
  }
}

const [commit] = process.argv.slice(2);
if (commit === undefined) {
  process.stderr.write(`Usage: ${USAGE}\n`);
  process.exitCode = 2;
} else if (!(await withTemporaryFolder((folder) => check(commit, folder)))) process.exitCode = 1;
