import { createHmac } from 'node:crypto';

/** What is kept of a user: the same for the same one, and another hash in each store, by its `salt`. */
export function hashedUser(userId: string | undefined, salt: string): string | null {
  return userId === undefined ? null : createHmac('sha256', salt).update(userId).digest('hex');
}
