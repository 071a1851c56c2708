import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { ReachError } from '../errors.js';
import type { Reach } from '../reach.js';
import { LIMITS } from '../wire/limits.js';
import { addAnswerGzip } from './answer-gzip.js';
import { addBodyParser } from './body-parser.js';
import { DEGRADED, type HttpAnswer, type HttpRoute, type HttpStream } from './http-route.js';
import { emptyBody } from './json-body.js';
import { addDocs, fastifySchemaOf } from './openapi.js';
import { answerClientError, refuseUnknownCall, sendProblem } from './problems.js';
import { ROUTES } from './routes.js';
import { sendStream, signalFor } from './stream-answer.js';
import { checkAllButBody, checkRequest, refuseBody } from './validation.js';
import type { WorkGate } from './work-gate.js';

/** No caller can hold a connection for ever; a dispatch may still take as long as its deadline allows. */
const TIMEOUTS = {
  // From a connection's first byte to the end of the headers: whoever needs longer sends them one by one.
  headersMs: 10_000,
  // To the end of the body: 8 MB over a slow line, but not for ever.
  requestMs: 60_000,
  // Between two requests; longer than the 60 s after which load balancers drop theirs, so that they drop first.
  keepAliveMs: 72_000,
  // Silence in both directions. While an agent works there is nothing to send, so this is past every deadline;
  // it ends connections whose reader never takes the answer.
  silenceMs: LIMITS.deadlineMs + 60_000,
  // How often Node looks for requests that are past headersMs or requestMs.
  checkEveryMs: 5_000,
} as const;

const NO_HEADERS = {};

function bare(logger: Logger): FastifyInstance {
  return Fastify({
    // Fastify names the part of a logger that it uses; without the cast its types carry pino's through every call.
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A line names no request, since none has a second one: a logger for each would be made for nothing.
    childLoggerFactory: (all) => all,
    routerOptions: { maxParamLength: LIMITS.idChars },
    http: { headersTimeout: TIMEOUTS.headersMs, connectionsCheckingInterval: TIMEOUTS.checkEveryMs },
    requestTimeout: TIMEOUTS.requestMs,
    keepAliveTimeout: TIMEOUTS.keepAliveMs,
    connectionTimeout: TIMEOUTS.silenceMs,
    // The gate answers instead, with a problem of our shape.
    return503OnClosing: false,
    frameworkErrors: sendProblem,
    clientErrorHandler: answerClientError,
  });
}

function addRoute(app: FastifyInstance, reach: Reach, gate: WorkGate, route: HttpRoute): void {
  app.route({
    method: route.method,
    url: route.url,
    bodyLimit: route.bodyLimit,
    config: { bodyDepth: route.bodyDepth },
    schema: fastifySchemaOf(route),
    validatorCompiler: route.bodyCheckedBy === 'schema' ? checkRequest : checkAllButBody,
    preValidation(request, _, done) {
      if (route.schema.body === undefined) refuseBody(request.body);
      // Without a content type and a length nothing was parsed.
      else if (request.body === undefined) throw emptyBody();
      done();
    },
    async handler(request, reply) {
      const { params, query, body, headers, raw } = request;
      const signal = signalFor(route, request, gate);
      const remoteAddress = raw.socket.remoteAddress ?? '';
      let answer: HttpAnswer | HttpStream;
      try {
        answer = await route.handle({ reach, params, query, body, headers, signal, remoteAddress });
      } finally {
        // A refusal is told so too.
        if (route.toldDegraded && reach.storeAway) reply.header(DEGRADED.name, DEGRADED.value);
      }
      reply.code(answer.status).headers(answer.headers ?? NO_HEADERS);
      return 'body' in answer ? reply.send(answer.body) : sendStream(answer, route, request, reply, gate);
    },
  });
}

/** The HTTP door without a socket: every route of the table on top of `reach`, and the document at `/docs`. */
export async function createHttpApp(reach: Reach, gate: WorkGate, logger: Logger): Promise<FastifyInstance> {
  const app = bare(logger);
  app.setErrorHandler(sendProblem);
  // Answers have left the codec: nothing is in them that their schema does not declare. A serialiser made for the
  // schema would join a string from many pieces, which costs more than it saves.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setNotFoundHandler((request, reply) => sendProblem(refuseUnknownCall(request, reply), request, reply));

  // Hooks and parser call back: a promise in each of them would cost a cached answer a tenth of its time.
  app.addHook('onRequest', (request, reply, done) => {
    if (gate.isShut) {
      reply.header('connection', 'close');
      throw new ReachError('CLOSED', 'The service is shutting down; try another instance.');
    }
    reply.raw.once('close', gate.enter());
    // Before its body is read: what nobody will look at need not be sent.
    if (request.is404) throw refuseUnknownCall(request, reply);
    done();
  });
  // All that one look at the sockets brought in is read before the first of it is answered: reading, deciding and
  // writing in turns, each with its own code and system calls, cost half as much again.
  app.addHook('preHandler', (_request, _reply, done) => {
    setImmediate(done);
  });

  addBodyParser(app);
  addAnswerGzip(app);

  await addDocs(app, reach.health().version);
  for (const route of ROUTES) addRoute(app, reach, gate, route);
  await app.ready();
  return app;
}
