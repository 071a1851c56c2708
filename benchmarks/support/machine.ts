import { availableParallelism, cpus, totalmem } from 'node:os';

/** Where figures were measured, without anything that names the machine. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly node: string;
  readonly platform: string;
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory_gb: Math.round(totalmem() / 1024 ** 3),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  };
}
