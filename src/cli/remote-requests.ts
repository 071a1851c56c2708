import { ReachError } from '../errors.js';
import {
  type DispatchAnswer,
  type DispatchRequest,
  dispatchAnswerCodec,
  dispatchRequestCodec,
} from '../wire/dispatch.js';
import {
  type Queues,
  queuesCodec,
  type RequestList,
  type RequestStatus,
  requestListCodec,
  requestStatusCodec,
} from '../wire/requests.js';
import { decoded, jsonOf, refusalOf } from './remote-answer.js';
import { call, sending } from './remote-call.js';
import { remoteEvents } from './remote-events.js';

/** A server's requests. */
export interface RemoteRequests {
  /** Waits for the answer, however long the work takes. */
  dispatch(request: DispatchRequest): Promise<DispatchAnswer>;
  dispatchLater(request: DispatchRequest): Promise<RequestStatus>;
  request(requestId: string): Promise<RequestStatus>;
  /** `state` as it was given: the server checks it. */
  requests(state?: string): Promise<RequestList>;
  cancel(requestId: string): Promise<RequestStatus>;
  queues(): Promise<Queues>;
}

/** The answer at the end of the events: what a server tells on the way shows that it is still there. */
async function followedAnswer(url: URL, init: RequestInit): Promise<DispatchAnswer> {
  for await (const { event, data } of remoteEvents(url, init)) {
    if (event === 'answer') return decoded(url, dispatchAnswerCodec, jsonOf(data ?? ''));
    if (event === 'problem') throw refusalOf(url, jsonOf(data ?? ''));
  }
  throw new ReachError('SERVER_UNREACHABLE', `The server at ${url.origin} went away before it answered.`);
}

/** `api`: where the call of these steps lies. */
export function remoteRequests(api: (...steps: string[]) => URL): RemoteRequests {
  const asking = (request: DispatchRequest, headers: Record<string, string>): RequestInit => {
    const init = sending('POST', dispatchRequestCodec.encode(request));
    return { ...init, headers: { ...init.headers, ...headers } };
  };
  return {
    dispatch: (request) => followedAnswer(api('dispatch'), asking(request, { accept: 'text/event-stream' })),
    dispatchLater: (request) =>
      call(api('dispatch'), requestStatusCodec, asking(request, { prefer: 'respond-async' })),
    request: (requestId) => call(api('requests', requestId), requestStatusCodec),
    requests(state) {
      const url = api('requests');
      if (state !== undefined) url.searchParams.set('state', state);
      return call(url, requestListCodec);
    },
    cancel: (requestId) => call(api('requests', requestId, 'cancel'), requestStatusCodec, { method: 'POST' }),
    queues: () => call(api('queues'), queuesCodec),
  };
}
