import { DoctorReportSchema, doctorReportCodec } from '../wire/doctor.js';
import type { HttpRoute } from './http-route.js';
import { NO_BODY, NoQuery, ok } from './route-parts.js';

/** What the doctor found at its last round. */
export const doctorRoutes: readonly HttpRoute[] = [
  {
    method: 'GET',
    url: '/api/v1/doctor',
    operationId: 'doctor',
    summary: 'Show what nobody complains of and somebody should know.',
    tag: 'service',
    scope: 'read',
    ...NO_BODY,
    schema: {
      querystring: NoQuery,
      response: { 200: { description: 'The findings of the last round.', schema: DoctorReportSchema } },
    },
    problems: [],
    handle: async ({ reach }) => ok(doctorReportCodec.encode(await reach.doctor())),
  },
];
