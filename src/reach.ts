import type { BatchCalls } from './facade/batch-calls.js';
import type { CatalogueCalls } from './facade/catalogue-calls.js';
import type { InstanceCalls } from './facade/instance-calls.js';
import type { InvokeCall } from './facade/invoke-call.js';
import type { LabelCalls } from './facade/label-calls.js';
import type { LiveCalls } from './facade/live-calls.js';
import type { PreviewCalls } from './facade/preview-calls.js';
import type { RecordCalls } from './facade/record-calls.js';
import type { RequestCalls } from './facade/request-calls.js';
import type { RoutingCalls } from './facade/routing-calls.js';
import type { SessionCalls } from './facade/session-calls.js';
import type { ShadowCalls } from './facade/shadow-calls.js';
import type { TicketCalls } from './facade/ticket-calls.js';
import type { TuningCalls } from './facade/tuning-calls.js';
import type { DoctorReport } from './wire/doctor.js';
import type { HealthReport } from './wire/health.js';

/** The façade: all that a door (HTTP, CLI, a library user) can ask for. Input is checked here, whoever calls. */
export interface Reach
  extends CatalogueCalls,
    PreviewCalls,
    InstanceCalls,
    RoutingCalls,
    SessionCalls,
    InvokeCall,
    BatchCalls,
    RequestCalls,
    LiveCalls,
    RecordCalls,
    ShadowCalls,
    TicketCalls,
    TuningCalls,
    LabelCalls {
  health(): HealthReport;
  /** What the doctor found at its last round, of which there is one every five minutes. */
  doctor(): Promise<DoctorReport>;
  /** The least confidence to route on now, where neither request nor capability names one, 0..1. */
  readonly threshold: number;
  /** True while the catalogue is embedded and intents are answered. */
  readonly ready: boolean;
  /** True while the store cannot be asked: what needs it is refused with STORE_UNAVAILABLE, and all else goes on. */
  readonly storeAway: boolean;
  /** No new work; running work ends within its deadline; everything is closed once. */
  close(): Promise<void>;
}
