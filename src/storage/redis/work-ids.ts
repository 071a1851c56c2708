import { hash } from 'node:crypto';

/**
 * The id of a request's job. BullMQ takes no colon, which a request id may have, and no number; what stands in for it
 * here, no request id can have.
 */
export function jobIdOf(requestId: string): string {
  return `r~${requestId.replaceAll(':', '~')}`;
}

/** Of the job that takes the place of one that a replica has lost: the same for everybody who finds that it has. */
export function lostJobIdOf(requestId: string, lostBy: string): string {
  return `${jobIdOf(requestId)}+${hash('sha1', lostBy).slice(0, 12)}`;
}

export function requestIdOf(jobId: string): string {
  const [id = ''] = jobId.slice(2).split('+');
  return id.replaceAll('~', ':');
}
