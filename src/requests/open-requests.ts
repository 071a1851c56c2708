import type { Clock } from '../clock.js';
import type { Lifecycle } from '../lifecycle.js';
import { Admission, type AdmissionParts } from './admission.js';
import type { Callbacks } from './callbacks.js';
import { EndTeller } from './end-teller.js';
import { LeftWork } from './left-work.js';
import { ReplyTokens } from './reply-tokens.js';
import { RequestBook } from './request-book.js';
import { RequestControl } from './request-control.js';
import { RequestDesk } from './request-desk.js';
import { RequestFollowers } from './request-followers.js';
import { RequestInquiries } from './request-inquiries.js';
import type { CarryOut, Withdraw } from './request-life.js';
import { RequestNews } from './request-news.js';
import { RequestPeers } from './request-peers.js';
import { RequestRunner } from './request-runner.js';
import type { RequestStore } from './request-store.js';
import { RequestSweep } from './request-sweep.js';
import type { RequestsCluster } from './requests-cluster.js';
import type { CountByLane, QueuedWork, WorkQueue } from './work-queue.js';

export interface RequestsContext {
  readonly carryOut: CarryOut;
  readonly stores: { readonly requests: RequestStore; readonly work: WorkQueue };
  readonly cluster: RequestsCluster;
  readonly seekBudgetMs: AdmissionParts['seekBudgetMs'];
  readonly withdraw: Withdraw;
  /** Undefined: nobody is called back. */
  readonly callbacks: Callbacks | undefined;
  /** Where agents reach the HTTP door; undefined while none is open. */
  readonly publicUrl: () => string | undefined;
  readonly team: string;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** The requests, from all sides. */
export interface Requests {
  readonly desk: RequestDesk;
  readonly inquiries: RequestInquiries;
  readonly control: RequestControl;
  /** How many asynchronous ones wait and run. */
  readonly counts: () => { readonly waiting: CountByLane; readonly running: CountByLane };
  /** From now on asynchronous requests are carried out, those first that an earlier process has left. */
  readonly start: () => Promise<void>;
}

/** Puts the parts of the requests together; at the close, what is under way ends, and what waits is left. */
export async function openRequests(context: RequestsContext): Promise<Requests> {
  const { carryOut, withdraw, stores, cluster, callbacks, publicUrl, team, clock, lifecycle, report } =
    context;
  const { requests: store, work: queue } = stores;
  const tokens = new ReplyTokens(await store.secret(team));
  const teller = new EndTeller({ callbacks, store, team, clock, report });
  const peers = new RequestPeers({ cluster, team, clock });
  const book = new RequestBook({
    store,
    team,
    clock,
    node: cluster.replicaId,
    replyTo(requestId, repliedTo) {
      const url = publicUrl();
      if (url === undefined) return undefined;
      return `${url}/api/v1/requests/${requestId}/reply?token=${tokens.tokenOf(requestId, repliedTo)}`;
    },
    onEnd: (request) => void teller.tell(request),
  });
  const runner = new RequestRunner({ carryOut, book, teller, peers, queue, team, clock, report });
  const news = new RequestNews({ book, cluster, team, clock });
  const goOn = (work: QueuedWork) => runner.goOn(work);
  const left = new LeftWork({ book, store, queue, cluster, goOn, team, clock, report });
  const followers = new RequestFollowers();
  const sweep = new RequestSweep({ book, store, peers, withdraw, team, clock, report });
  const inquiries = new RequestInquiries({ book, followers, peers, store, team, callbacks });
  const admission = new Admission({ book, clock, seekBudgetMs: context.seekBudgetMs });
  lifecycle.ending.addEventListener('abort', () => runner.leave(), { once: true });
  const control = new RequestControl({ book, peers, tokens, withdraw, clock });
  peers.start((asked) => control.answer(asked));
  news.start();
  lifecycle.add('requests', async () => {
    await left.close();
    await runner.close();
    await news.close();
    peers.close();
    await sweep.close();
    teller.close();
    followers.close();
  });
  return {
    desk: new RequestDesk({ book, admission, runner, inquiries, followers, queue, callbacks, team }),
    inquiries,
    control,
    counts: () => queue.counts(team),
    async start() {
      sweep.start();
      await runner.start();
      await left.start();
    },
  };
}
