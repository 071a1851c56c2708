import { agentRoutes } from './agent-routes.js';
import { dispatchRoutes } from './dispatch-routes.js';
import { doctorRoutes } from './doctor-routes.js';
import type { HttpRoute } from './http-route.js';
import { instanceRoutes } from './instance-routes.js';
import { invokeRoutes } from './invoke-routes.js';
import { labelRoutes } from './label-routes.js';
import { liveRoutes } from './live-routes.js';
import { manifestHistoryRoutes } from './manifest-history-routes.js';
import { recordRoutes } from './record-routes.js';
import { requestRoutes } from './request-routes.js';
import { routingRoutes } from './routing-routes.js';
import { serviceRoutes } from './service-routes.js';
import { sessionRoutes } from './session-routes.js';
import { shadowRoutes } from './shadow-routes.js';
import { ticketRoutes } from './ticket-routes.js';
import { tuningRoutes } from './tuning-routes.js';

/** Every call of the HTTP door. A call that is not here does not exist; a test compares it with what is served. */
export const ROUTES: readonly HttpRoute[] = [
  ...routingRoutes,
  ...dispatchRoutes,
  ...requestRoutes,
  ...invokeRoutes,
  ...sessionRoutes,
  ...ticketRoutes,
  ...tuningRoutes,
  ...labelRoutes,
  ...agentRoutes,
  ...manifestHistoryRoutes,
  ...instanceRoutes,
  ...doctorRoutes,
  ...recordRoutes,
  ...shadowRoutes,
  ...liveRoutes,
  ...serviceRoutes,
];
