/** What a key may be allowed to do. Every call of every door names one of them. */
export const SCOPES = ['publish', 'heartbeat', 'route', 'dispatch', 'tickets', 'read', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a call asks of its caller. `public` asks nothing, for whoever only watches that the process lives. */
export type Access = Scope | 'public';
