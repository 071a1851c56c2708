import { readFile } from 'node:fs/promises';

/** One line of a Dockerfile, its continuations joined. */
export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** One image that is made on the way, or the last one. */
export interface Stage {
  readonly name: string;
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/** What is copied into a stage: paths of the repository or of another stage, to a path below its WORKDIR. */
export interface Copy {
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

/** The instructions of a Dockerfile that is simple: no heredocs, no other escape character. */
export async function readDockerfile(path: string): Promise<readonly Stage[]> {
  const text = await readFile(path, 'utf8');
  const lines = text
    .split('\n')
    .filter((line) => !line.trim().startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { name: string; from: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (word === 'FROM') {
      const [from = '', , name = ''] = rest.split(/\s+/);
      stages.push({ name, from, instructions: [] });
    } else stages.at(-1)?.instructions.push({ word, rest });
  }
  return stages;
}

export const restsOf = ({ instructions }: Stage, wanted: string): readonly string[] =>
  instructions.filter(({ word }) => word === wanted).map(({ rest }) => rest);

export function copiesOf(stage: Stage): readonly Copy[] {
  return restsOf(stage, 'COPY').map((rest) => {
    const words = rest.split(/\s+/);
    const [, from] = /^--from=(.+)$/.exec(words[0] ?? '') ?? [];
    const paths = from === undefined ? words : words.slice(1);
    return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
  });
}

/** The variables that it sets, without those of stages before it. */
export function environmentOf(stage: Stage): Readonly<Record<string, string>> {
  const pairs = restsOf(stage, 'ENV').flatMap((rest) => rest.split(/\s+/));
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2) as [string, string]));
}

/** The words of an instruction in its exec form. @throws where it has another */
export const wordsOf = (rest: string): readonly string[] => JSON.parse(rest);
