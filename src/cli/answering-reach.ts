import type { AgentList } from '../wire/agents.js';
import type { Decision, RouteRequest } from '../wire/route.js';
import type { AnswerBy } from './decision-text.js';

/** Whoever answers a question of the command line: a server, or the façade in this process. */
export interface AnsweringReach {
  readonly answerBy: AnswerBy;
  route(request: RouteRequest): Promise<Decision>;
  agents(): Promise<AgentList>;
  close(): Promise<void>;
}
