import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentProgram, AgentTask, Execute, TaskAnswer } from '../agent-program.js';
import { languageOf } from '../asker-language.js';
import { integer, object, oneOf, optional, readPayload, refusal, text } from '../payload-reader.js';
import { ENVIRONMENTS, type Environment, ReleaseLog } from './release-log.js';

const ENVIRONMENT_WORDS: readonly (readonly [Environment, RegExp])[] = [
  ['staging', /staging|预发|测试环境/i],
  ['production', /\bprod|\blive\b|生产|线上|正式/i],
];
const DEFAULT_LIMIT = 10;
/** The parts of its traffic that a release is given one after the other, and how long each is watched. */
const ROLL_OUT_STEPS = [0.25, 0.5, 1] as const;
const STEP_MS = 250;
/** Who releases where the platform knows nobody: this agent. */
const BY = 'deployment-agent';

/**
 * Releases of a few services from a file. What is released stays so as long as the program runs; a release takes its
 * time, and tells how far it is.
 */
export function createDeploymentAgent(
  now: () => Date = () => new Date(),
  stepMs: number = STEP_MS,
): AgentProgram {
  const log = new ReleaseLog();
  return new Map<string, Execute>([
    ['deploy-service', (task: AgentTask) => deployService(log, task, now, stepMs)],
    ['roll-back-service', (task: AgentTask) => rollBackService(log, task, now())],
    ['deployment-status', (task: AgentTask) => deploymentStatus(log, task)],
    ['deployment-history', (task: AgentTask) => deploymentHistory(log, task)],
  ]);
}

function deployService(
  log: ReleaseLog,
  task: AgentTask,
  now: () => Date,
  stepMs: number,
): TaskAnswer | Promise<TaskAnswer> {
  const service = requiredService(log, task);
  const environment = environmentOf(task);
  if (environment === undefined)
    throw refusal('/environment', `one of ${ENVIRONMENTS.join(', ')}`, undefined);
  const version = wantedVersion(log, service, task);
  const share = trafficShare(task);
  const previous = log.running(service, environment);
  const result = { service, environment, version, previous_version: previous, traffic_percent: share };
  const language = languageOf(task.intent);
  if (previous === version) {
    const said = {
      zh: `${service} ${version} 已经在 ${environment} 运行。`,
      en: `${service} ${version} runs on ${environment} already.`,
    };
    return { result: { state: 'unchanged', ...result }, reply: said[language] };
  }
  if (environment === 'production' && !log.hasRun(service, 'staging', version)) {
    const said = {
      zh: `${service} ${version} 还没有在 staging 验证过,不能发布到 production。`,
      en: `${service} ${version} has never run on staging and cannot go to production.`,
    };
    return {
      result: { state: 'refused', ...result, refused_because: 'not_on_staging' },
      reply: said[language],
    };
  }
  const said = {
    zh: `${service} 已从 ${previous ?? '无'} 发布到 ${version}(${environment},流量 ${share}%)。`,
    en: `${service} ${version} replaces ${previous ?? 'nothing'} on ${environment} for ${share}% of the traffic.`,
  };
  return rollOut(task, share, stepMs).then(() => {
    log.record({ at: now().toISOString(), service, environment, version, action: 'deploy', by: BY });
    return { result: { state: 'deployed', ...result }, reply: said[language] };
  });
}

/** Rejects where nobody wants the release any more, which then is none. */
async function rollOut({ acknowledge, progress, signal }: AgentTask, share: number, stepMs: number) {
  acknowledge({ estimatedDelayMs: ROLL_OUT_STEPS.length * stepMs });
  for (const step of ROLL_OUT_STEPS) {
    progress({ traffic_percent: Math.ceil(share * step) });
    await sleep(stepMs, undefined, { signal });
  }
}

function rollBackService(log: ReleaseLog, task: AgentTask, now: Date): TaskAnswer {
  const { reason = null } = readPayload(task.payload, { reason: optional(text) });
  const service = requiredService(log, task);
  const environment = environmentOf(task) ?? 'production';
  const from = log.running(service, environment);
  const version = log.before(service, environment);
  const language = languageOf(task.intent);
  const result = { service, environment, from_version: from, reason };
  if (version === undefined) {
    const said = {
      zh: `${service} 在 ${environment} 没有更早的版本可以回滚。`,
      en: `There is no earlier version of ${service} on ${environment} to go back to.`,
    };
    return { result: { state: 'refused', ...result, version: from }, reply: said[language] };
  }
  log.record({ at: now.toISOString(), service, environment, version, action: 'rollback', by: BY });
  const said = {
    zh: `${service} 在 ${environment} 已从 ${from} 回滚到 ${version}。`,
    en: `${service} on ${environment} is back from ${from} to ${version}.`,
  };
  return { result: { state: 'rolled_back', ...result, version }, reply: said[language] };
}

function deploymentStatus(log: ReleaseLog, task: AgentTask): TaskAnswer {
  const named = serviceOf(log, task);
  const services = (named === undefined ? log.services : [named]).map((service) => {
    const staging = log.running(service, 'staging') ?? null;
    const production = log.running(service, 'production') ?? null;
    const place = (version: string | null) => log.versionsOf(service).indexOf(version ?? '');
    return { service, staging, production, versions_behind: Math.max(0, place(staging) - place(production)) };
  });
  const listed = services.map(
    ({ service, staging, production }) => `${service} ${production} (staging ${staging})`,
  );
  const said = {
    zh: `线上版本:${listed.join('、')}。`,
    en: `In production: ${listed.join(', ')}.`,
  };
  return { result: { services }, reply: said[languageOf(task.intent)] };
}

function deploymentHistory(log: ReleaseLog, task: AgentTask): TaskAnswer {
  const { limit = DEFAULT_LIMIT } = readPayload(task.payload, { limit: optional(integer(1, 100)) });
  const releases = log.releases(serviceOf(log, task), environmentOf(task));
  const shown = releases.slice(0, limit);
  const listed = shown.map(
    ({ at, by, action, service, version, environment }) =>
      `${at.slice(0, 10)} ${by} ${action} ${service} ${version} (${environment})`,
  );
  const said = {
    zh: `共 ${releases.length} 条记录:${listed.join(';') || '无'}。`,
    en: `Releases: ${releases.length}. ${listed.join('; ') || 'None'}.`,
  };
  return { result: { total: releases.length, releases: shown }, reply: said[languageOf(task.intent)] };
}

/** The service that the payload or else the sentence names. @throws PayloadError for one that does not exist. */
function serviceOf({ services }: ReleaseLog, { intent, payload }: AgentTask): string | undefined {
  const { service } = readPayload(payload, { service: optional(oneOf(services)) });
  const sentence = intent.toLowerCase();
  return service ?? services.find((each) => sentence.includes(each));
}

function requiredService(log: ReleaseLog, task: AgentTask): string {
  const service = serviceOf(log, task);
  if (service === undefined) throw refusal('/service', `one of ${log.services.join(', ')}`, undefined);
  return service;
}

function environmentOf({ intent, payload }: AgentTask): Environment | undefined {
  const { environment } = readPayload(payload, { environment: optional(oneOf(ENVIRONMENTS)) });
  return environment ?? ENVIRONMENT_WORDS.find(([, words]) => words.test(intent))?.[0];
}

/** The version that the payload or else the sentence names. @throws PayloadError for one that was never built. */
function wantedVersion(log: ReleaseLog, service: string, { intent, payload }: AgentTask): string {
  const fields = readPayload(payload, { version: optional(text) });
  const version = fields.version ?? intent.match(/\d+\.\d+\.\d+/)?.[0];
  const versions = log.versionsOf(service);
  if (version !== undefined && versions.includes(version)) return version;
  throw refusal('/version', `one of ${versions.join(', ')}`, version);
}

/** How much of the traffic a release gets, in percent. @throws PayloadError for a canary of no size, or a rolling one with one. */
function trafficShare({ payload }: AgentTask): number {
  const { strategy } = readPayload(payload, {
    strategy: optional(object({ kind: oneOf(['rolling', 'canary']), percent: optional(integer(1, 100)) })),
  });
  if (strategy === undefined) return 100;
  const { kind, percent } = strategy;
  if (kind === 'canary' && percent === undefined)
    throw refusal('/strategy/percent', 'a number from 1 to 100', percent);
  if (kind === 'rolling' && percent !== undefined)
    throw refusal('/strategy/percent', 'nothing for a rolling release', percent);
  return percent ?? 100;
}
