import type { ReachError } from '../errors.js';
import type { LiveRequest } from './live-request.js';

/** Told of requests what others may be waiting for. */
export interface BookListener {
  /** One is here that is not carried out here, as far as is known. */
  copied(live: LiveRequest): void;
  /** It is carried out here from now on. */
  begun(live: LiveRequest): void;
  /** It was not let in. */
  refused(live: LiveRequest, error: ReachError): void;
}
