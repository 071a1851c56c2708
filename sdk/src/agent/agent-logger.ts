/** Where an agent tells what becomes of it, for people; `console` is one. */
export interface AgentLogger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error: unknown): void;
}
