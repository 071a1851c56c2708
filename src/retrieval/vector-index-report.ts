import type { HealthReport } from '../wire/health.js';
import type { LayeredVectorIndex } from './layered-vector-index.js';

/** What more there is to say, by the state of the index. */
const REMARKS: Readonly<Record<LayeredVectorIndex['state'], string>> = {
  unopened: '',
  opening: '',
  open: '',
  waiting: ' The last graph could not be built, and is tried again.',
  'exact only': ' There are no graphs, since hnswlib-node cannot be used on this machine.',
  closed: ' The index is closed.',
};

type ReportedIndex = Pick<LayeredVectorIndex, 'state' | 'status'>;

/** A space by the name of its model, and the index of its vectors. */
interface ReportedSpace {
  readonly model: string;
  readonly index: ReportedIndex;
}

function reportOn({ model, index }: ReportedSpace): HealthReport['vectorIndex'] {
  const { building, exactVectors, segmentVectors } = index.status();
  const inGraphs = segmentVectors.reduce((sum, count) => sum + count, 0);
  const degraded = index.state === 'waiting' || index.state === 'exact only';
  const where =
    segmentVectors.length === 0
      ? `${exactVectors} vectors of ${model} are compared one by one.`
      : `${inGraphs} vectors of ${model} lie in graphs (${segmentVectors.length}), ${exactVectors} are compared one by one.`;
  return {
    state: degraded ? 'degraded' : 'ok',
    detail: where + (building ? ' A graph is being built.' : '') + REMARKS[index.state],
    kind: segmentVectors.length === 0 ? 'exact' : 'graph',
    vectors: inGraphs + exactVectors,
    building,
  };
}

/** The state of the vector indexes, one a space, for a person and for machines. Slower searches count as `degraded`. */
export function vectorIndexReport(spaces: readonly ReportedSpace[]): HealthReport['vectorIndex'] {
  const reports = spaces.map(reportOn);
  return {
    state: reports.every(({ state }) => state === 'ok') ? 'ok' : 'degraded',
    detail: reports.map(({ detail }) => detail).join(' '),
    kind: reports.some(({ kind }) => kind === 'graph') ? 'graph' : 'exact',
    vectors: reports.reduce((sum, { vectors }) => sum + vectors, 0),
    building: reports.some(({ building }) => building),
  };
}
