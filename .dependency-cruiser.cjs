// The order in which data walks: a room imports only rooms that stand before it.
// docs/architecture.md shows the same list; test/house.test.ts proves that this check can fail.
const ROOMS = [
  [
    'errors.ts',
    'clock.ts',
    'quiet-time.ts',
    'lifecycle.ts',
    'built-entry.ts',
    'lru-map.ts',
    'parsed-url.ts',
    'text-hash.ts',
    'keep-last.ts',
    'pages.ts',
    'single-flight.ts',
    'end-signal.ts',
    'running-calls.ts',
    'rounds.ts',
    'settings.ts',
    'config.ts',
  ],
  ['wire/'],
  ['net/'],
  ['manifest/'],
  ['cluster/'],
  ['registry/'],
  ['rules/'],
  ['embedding/'],
  ['retrieval/'],
  ['health/'],
  ['routing/'],
  ['live/'],
  ['overlaps/'],
  ['transport/'],
  ['outbox/'],
  ['requests/'],
  ['dispatch/'],
  ['record/'],
  ['sessions/'],
  ['handoff/'],
  ['evaluation/'],
  ['labels/'],
  ['learning/'],
  ['judging/'],
  ['tuning/'],
  ['preview/'],
  ['report/'],
  ['access/'],
  ['doctor/'],
  ['storage/'],
  ['health-report.ts'],
  ['facade/', 'reach.ts'],
  ['http/'],
  ['cli/'],
  ['demo/'],
  ['open-space.ts'],
  ['open-work.ts'],
  ['open-following.ts'],
  ['open-fleet.ts'],
  ['open-reach.ts'],
  ['store-tools.ts'],
  ['app.ts'],
  ['main.ts'],
];

const escaped = (text) => text.replace(/[.]/g, '\\.');
const pattern = (room) =>
  `^src/(${room.map((entry) => escaped(entry) + (entry.endsWith('/') ? '' : '$')).join('|')})`;

const ROUTING_BELOW_ROUTER = {
  path: '^src/routing/',
  pathNot: '^src/routing/(router|judge|catalogue-search)\\.ts$',
};
const ONLY_COMPUTES = [
  'errors.ts',
  'lru-map.ts',
  'text-hash.ts',
  'wire/',
  'retrieval/fold.ts',
  'retrieval/indexed-capability.ts',
  'retrieval/vector-math.ts',
  'manifest/intent-match.ts',
  'registry/catalogue-names.ts',
  'health/instance-view.ts',
  'health/return-times.ts',
];

const onlyEarlierRooms = ROOMS.slice(0, -1).map((room, index) => ({
  name: `only-earlier-rooms: ${room.join(' ')}`,
  comment: 'A room imports only rooms that stand before it in ROOMS.',
  severity: 'error',
  from: { path: pattern(room) },
  to: { path: pattern(ROOMS.slice(index + 1).flat()) },
}));

const WITHOUT_ROOM = { path: '^src/', pathNot: `${pattern(ROOMS.flat())}|^src/setup\\.mjs$` };

module.exports = {
  forbidden: [
    ...onlyEarlierRooms,
    {
      name: 'every-file-has-a-room',
      comment: 'A file of src/ stands in a room of the list above.',
      severity: 'error',
      from: WITHOUT_ROOM,
      to: {},
    },
    {
      name: 'every-imported-file-has-a-room',
      comment: 'The same of files that import nothing themselves.',
      severity: 'error',
      from: {},
      to: WITHOUT_ROOM,
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'adapters-only-in-open-reach',
      comment: 'Only the composition root, and what moves a store, name adapters.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(storage/|(open-reach|store-tools)\\.ts$)' },
      to: { path: '^src/storage/' },
    },
    {
      name: 'routing-is-pure',
      comment: 'Routing does no I/O: nothing there but the router and its search imports a Node module.',
      severity: 'error',
      from: ROUTING_BELOW_ROUTER,
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'routing-sees-what-computes',
      comment:
        'Of other rooms routing uses types, and those files that only compute; the router and its search use the rest.',
      severity: 'error',
      from: ROUTING_BELOW_ROUTER,
      to: {
        path: '^src/',
        pathNot: pattern(['routing/', ...ONLY_COMPUTES]),
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'sdk-stands-alone',
      comment: 'The kit has no dependencies: it imports itself and Node.',
      severity: 'error',
      from: { path: '^sdk/src/' },
      to: { pathNot: '^sdk/src/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'sdk-for-demo-only',
      comment: 'The product does not need the kit; its sample agents use it as any agent would.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/demo/' },
      to: { path: '^sdk/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules|^sdk/dist' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
};
