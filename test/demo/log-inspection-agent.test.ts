import { describe, expect, test } from 'vitest';
import { logInspectionAgent } from '../../src/demo/agents/log-inspection-agent.js';
import { ask, faultsOf } from './ask.js';

describe('searching logs', () => {
  test('reads service and level out of the sentence, the newest first', () => {
    const { result, reply } = ask(
      logInspectionAgent,
      'search-logs',
      { limit: 2 },
      'show me the error logs of the payment service',
    );
    expect(result).toMatchObject({
      total: 4,
      lines: [
        { at: '2025-03-04T00:12:48Z' },
        { at: '2025-03-03T14:03:10Z', message: 'deadline exceeded, trace 7f3a' },
      ],
    });
    expect(reply).toBe(
      'Log lines found: 4. The newest: 2025-03-04T00:12:48Z payment: connection refused by acquirer 10.0.4.2',
    );
  });

  test('finds a trace across services, in any case, and nothing where there is nothing', () => {
    expect(ask(logInspectionAgent, 'search-logs', { text: 'TRACE 7f3a' }).result).toMatchObject({
      lines: [{ service: 'payment' }, { service: 'checkout' }],
    });
    expect(ask(logInspectionAgent, 'search-logs', { from: '2025-03-05' }, '查日志').reply).toBe(
      '找到 0 行日志。',
    );
  });

  test.each([
    [{ service: 'billing' }, '/service'],
    [{ level: 'fatal' }, '/level'],
    [{ from: '2025-03-04', to: '2025-03-03' }, '/to'],
  ])('makes no sense as %j', (payload, pointer) => {
    expect(faultsOf(logInspectionAgent, 'search-logs', payload)).toMatchObject([{ pointer }]);
  });
});

test('errors are counted a service and hour, with their rate and most frequent cause', () => {
  const payload = { per: 'hour', to: '2025-03-03' };
  const { result, reply } = ask(logInspectionAgent, 'count-errors', payload);
  expect(result).toEqual({
    services: [
      {
        service: 'payment',
        lines: 6,
        errors: 3,
        error_rate: 0.5,
        buckets: [
          { start: '2025-03-03T09:00Z', errors: 2 },
          { start: '2025-03-03T14:00Z', errors: 1 },
        ],
        most_frequent: 'connection refused by acquirer N',
      },
      {
        service: 'checkout',
        lines: 4,
        errors: 1,
        error_rate: 0.25,
        buckets: [{ start: '2025-03-03T14:00Z', errors: 1 }],
        most_frequent: 'timeout after N ms calling payment',
      },
      { service: 'search', lines: 2, errors: 0, error_rate: 0, buckets: [], most_frequent: null },
    ],
  });
  expect(reply).toBe('Errors and error rate: payment 3 (50%), checkout 1 (25%), search 0 (0%).');
  expect(ask(logInspectionAgent, 'count-errors', null, '支付 payment 错误率').result).toMatchObject({
    services: [{ service: 'payment', buckets: [{ start: '2025-03-03' }, { start: '2025-03-04' }] }],
  });
});

describe('a stack trace', () => {
  const JAVASCRIPT = `Uncaught TypeError: total is undefined
    at sum (/app/node_modules/lodash/sum.js:3:9)
    at Cart.total (/app/src/cart.ts:42:13)
    at /app/src/server.ts:7:1`;
  const JAVA = `Exception in thread "main" java.lang.NullPointerException: item is null
\tat java.util.List.of(List.java:10)
\tat shop.CartService.add(CartService.java:42)`;
  const PYTHON = `Traceback (most recent call last):
  File "main.py", line 3, in <module>
    run()
  File "/srv/app/jobs.py", line 12, in run
    int("x")
ValueError: invalid literal: 'x'`;

  test.each([
    [JAVASCRIPT, 'javascript', 'TypeError', { function: 'Cart.total', file: '/app/src/cart.ts', line: 42 }],
    [
      JAVA,
      'java',
      'java.lang.NullPointerException',
      { function: 'shop.CartService.add', file: 'CartService.java', line: 42 },
    ],
    [PYTHON, 'python', 'ValueError', { function: 'run', file: '/srv/app/jobs.py', line: 12 }],
  ])('%s', (stack_trace, language, exception, thrown_in) => {
    const { result } = ask(logInspectionAgent, 'read-stack-trace', { stack_trace });
    expect(result).toMatchObject({ language, exception, thrown_in });
  });

  test('can be looked through for code of a certain place', () => {
    const payload = { stack_trace: JAVASCRIPT, own_code: 'server' };
    expect(ask(logInspectionAgent, 'read-stack-trace', payload, '看堆栈').reply).toBe(
      'TypeError:total is undefined。出自 /app/src/server.ts:7 ((anonymous))。',
    );
    const elsewhere = ask(logInspectionAgent, 'read-stack-trace', { ...payload, own_code: 'lib/x' });
    expect(elsewhere.result).toMatchObject({ thrown_in: null });
  });

  test('must be one', () => {
    const fault = [{ pointer: '/stack_trace' }];
    expect(faultsOf(logInspectionAgent, 'read-stack-trace', null)).toMatchObject(fault);
    expect(faultsOf(logInspectionAgent, 'read-stack-trace', { stack_trace: 'it broke' })).toMatchObject(
      fault,
    );
  });
});
