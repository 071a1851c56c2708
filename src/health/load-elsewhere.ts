import { type InstanceName, instanceKey } from '../registry/instance.js';
import type { HealthNews } from './health-news.js';

type Place = InstanceName & Pick<HealthNews, 'address'>;

/** How many calls each of the other replicas has under way, and where. */
export class LoadElsewhere {
  readonly #places = new Map<string, { readonly place: Place; readonly byReplica: Map<string, number> }>();

  /** One replica has so many under way. Returns how many all others have there now. */
  set(replicaId: string, { agentName, instanceId, address }: Place, inFlight: number): HealthNews {
    const place = { agentName, instanceId, address };
    const key = `${instanceKey(place)} ${address}`;
    const { byReplica } = this.#places.get(key) ?? { byReplica: new Map<string, number>() };
    if (inFlight === 0) byReplica.delete(replicaId);
    else byReplica.set(replicaId, inFlight);
    if (byReplica.size === 0) this.#places.delete(key);
    else this.#places.set(key, { place, byReplica });
    return newsOf(place, byReplica);
  }

  /** Forgets those that live no more, whose calls nobody has under way. Returns how many there are where that counts. */
  keepOnly(isLiving: (replicaId: string) => boolean): HealthNews[] {
    const changed: HealthNews[] = [];
    for (const [key, { place, byReplica }] of this.#places) {
      const gone = [...byReplica.keys()].filter((replicaId) => !isLiving(replicaId));
      if (gone.length === 0) continue;
      for (const replicaId of gone) byReplica.delete(replicaId);
      if (byReplica.size === 0) this.#places.delete(key);
      changed.push(newsOf(place, byReplica));
    }
    return changed;
  }
}

function newsOf(place: Place, byReplica: ReadonlyMap<string, number>): HealthNews {
  const inFlight = [...byReplica.values()].reduce((sum, each) => sum + each, 0);
  return { ...place, finding: { kind: 'load', inFlight } };
}
