import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 1_048_576;

/**
 * The SHA-256 of a file, hex. Weights are large: they are read in pieces, and into one and the same buffer, since a
 * new one for each would stay in memory until the collector finds it. Throws what the file system throws.
 */
export async function fileChecksum(path: string): Promise<string> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const file = await open(path);
  try {
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(chunk.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
