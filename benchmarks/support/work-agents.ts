import { AskedProcess } from './asked-process.js';
import type { Execution, WorkOrder, WorkReport } from './work-agent-process.js';

type WorkProcess = AskedProcess<WorkOrder, WorkReport>;

/** Instances of agents that do as the payload of a call says, together in a process of their own. */
export class WorkAgents {
  readonly #process: WorkProcess;
  /** Of 127.0.0.1, one an instance. */
  readonly ports: readonly number[];

  private constructor(process: WorkProcess, ports: readonly number[]) {
    this.#process = process;
    this.ports = ports;
  }

  /** `logged`: they write down what they carry out. */
  static async open(instances: number, logged: boolean): Promise<WorkAgents> {
    const process: WorkProcess = new AskedProcess('./work-agent-process.ts');
    const { ports } = await process.ask({ kind: 'open', instances, logged });
    return new WorkAgents(process, ports);
  }

  /** While they are sick they answer every call with 500, and carry nothing out. */
  async beSick(sick: boolean): Promise<void> {
    await this.#process.ask({ kind: 'sick', sick });
  }

  /** What they have begun so far, oldest first. */
  async executions(): Promise<readonly Execution[]> {
    const { executions } = await this.#process.ask({ kind: 'log' });
    return executions;
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

/** Several processes with so many instances each, closed when the work is done. */
export async function withWorkAgents<Result>(
  { processes, instances, logged }: { processes: number; instances: number; logged: boolean },
  work: (agents: readonly WorkAgents[]) => Promise<Result>,
): Promise<Result> {
  const agents = await Promise.all(
    Array.from({ length: processes }, () => WorkAgents.open(instances, logged)),
  );
  try {
    return await work(agents);
  } finally {
    await Promise.all(agents.map((each) => each.close()));
  }
}
