import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readSecret } from '../../src/net/secret-ref.js';
import { temporaryFolder } from '../support/temporary-folder.js';

async function fileOf(content: string | Buffer): Promise<string> {
  const path = join(await temporaryFolder(), 'secret');
  await writeFile(path, content);
  return path;
}

describe('a secret', () => {
  it('of the environment', async () => {
    vi.stubEnv('AGENT_TOKEN', ' s3cret ');
    expect(await readSecret('env:AGENT_TOKEN')).toBe('s3cret');
    vi.unstubAllEnvs();
  });

  it('of a file, without the line end that editors put there', async () => {
    expect(await readSecret(`file:${await fileOf('s3cret+/= with a space\r\n')}`)).toBe(
      's3cret+/= with a space',
    );
  });

  it('is read again when its file is written again, or another file takes its place', async () => {
    const path = await fileOf('first');
    expect(await readSecret(`file:${path}`)).toBe('first');
    await writeFile(path, 'other');
    expect(await readSecret(`file:${path}`)).toBe('other');
    await writeFile(`${path}.new`, 'third');
    await rename(`${path}.new`, path);
    expect(await readSecret(`file:${path}`)).toBe('third');
  });
});

describe('what is no secret', () => {
  it.each([
    ['a variable that is not set', 'env:NO_SUCH_VARIABLE_OF_OURS', 'is not set'],
    ['a file that is not there', 'file:/no/such/file', 'cannot be read'],
    ['a folder', 'file:/', 'cannot be read'],
    ['a device without end', 'file:/dev/zero', 'cannot be read'],
    ['a reference of another kind', 's3cret', 'env:NAME or file:PATH'],
  ])('%s', async (_, ref, words) => {
    await expect(readSecret(ref)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(words),
    });
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['several lines, as a list of users has', 'root:x:0\nbin:x:1\n'],
    ['bytes of a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1])],
    ['other than ASCII', 'gehéim'],
    ['a file that is too large', 'x'.repeat(20_000)],
  ])('%s', async (_, content) => {
    const refused = await readSecret(`file:${await fileOf(content)}`).catch((error: Error) => error.message);
    expect(refused).toMatch(/ is not one line of visible ASCII of at most 16384 characters\.$/);
    expect(refused).not.toContain('root');
  });
});
