/** Inline configs of any kind: accepted or refused with a path, never an exception, never a secret, never a stall. */
import { DEFAULT_TARGET_CAPS, parseInlineConfig } from '@gatehouse/crds/config';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePlan, type RouteOutcome, shapeParams, walkPlan } from '../../gateway/src/routing/index.ts';
import { runs } from './runs.ts';

const SECRET = 'sk-secret-of-a-config-0123456789';
const KEYS = [
  ...['name', 'strategy', 'mode', 'targets', 'provider', 'virtual_key', 'virtualKey', 'api_key', 'apiKey', 'weight'],
  ...['override_params', 'overrideParams', 'default_params', 'drop_params', 'dropParams', 'retry', 'attempts', 'cache'],
  ...['on_status_codes', 'onStatusCodes', 'conditions', 'query', 'then', 'default', 'sticky', 'enabled', 'hash_fields'],
  ...['cb_config', 'failure_threshold', 'cooldown_interval', 'max_age', 'request_timeout', 'custom_host', 'model'],
  ...['forward_headers', 'passthrough', 'deployments', 'deployment_id', 'alias', '__proto__', 'constructor', 'options'],
  ...['$and', '$or', '$eq', '$in', '$regex', 'metadata.a', 'params.model', 'url.pathname', 'use_retry_after_headers'],
];
const WORDS = [
  ...[
    'single',
    'loadbalance',
    'fallback',
    'conditional',
    'simple',
    'semantic',
    'openai',
    '@main',
    '@main/gpt',
    'ollama',
  ],
  ...['https://a.example/v1', 'http://127.0.0.1', 'a.b[*].c', 'a[0]', 'metadata.a', '(a+)+$', '[', SECRET, ''],
];
const scalar = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.constantFrom(0, 1, -1, 0.5, 429, 500, 1e9, true, false, null),
  fc.string(),
  fc.integer(),
);
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { maxDepth: 7, depthSize: 'medium' },
    scalar,
    fc.array(tie('document'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...KEYS) }, { weight: 1, arbitrary: fc.string() }),
      tie('document'),
      {
        maxKeys: 6,
      },
    ),
  ),
}));
/** Configs that are nearly right: most of them compile. */
const { nearly } = fc.letrec((tie) => ({
  nearly: fc.oneof(
    { maxDepth: 4 },
    fc.record({ provider: fc.constantFrom('@a', '@b/m', 'openai'), api_key: fc.constantFrom(SECRET, 'k') }),
    fc.record(
      {
        strategy: fc.record({ mode: fc.constantFrom('single', 'loadbalance', 'fallback') }),
        targets: fc.array(tie('nearly'), { minLength: 1, maxLength: 3 }),
        weight: fc.integer({ min: 0, max: 3 }),
        retry: fc.record({ attempts: fc.integer({ min: 0, max: 9 }) }),
        override_params: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
        drop_params: fc.array(fc.constantFrom('a', 'a.b', 'a[*]', 'a[*].b', '__proto__.x'), { maxLength: 3 }),
        cache: fc.constantFrom('simple', true, { mode: 'simple', max_age: 90 }),
      },
      { requiredKeys: ['strategy', 'targets'] },
    ),
  ),
}));

const parse = (value: unknown) => parseInlineConfig(value, { caps: DEFAULT_TARGET_CAPS, saved: false });

describe('an inline config', () => {
  test('of any kind is accepted or refused with a path, and never shows a secret', () => {
    fc.assert(
      fc.property(fc.oneof(document, nearly), (value) => {
        const text = JSON.stringify(value) ?? 'null';
        const parsed = parse(JSON.parse(text));
        if (parsed.ok) {
          compilePlan(parsed.value, { saved: undefined, credential: () => undefined });
          return;
        }
        expect(parsed.error.length).toBeGreaterThan(0);
        for (const { message } of parsed.error) expect(message).not.toContain(SECRET);
      }),
      runs(300),
    );
  });

  test('that is accepted can be walked to an end, whatever its targets answer', async () => {
    await fc.assert(
      fc.asyncProperty(
        nearly,
        fc.infiniteStream(fc.constantFrom(200, 400, 429, 500)),
        fc.jsonValue(),
        async (value, statuses, body) => {
          const parsed = parse(JSON.parse(JSON.stringify(value)));
          if (!parsed.ok) return;
          const plan = compilePlan(parsed.value, { saved: { slug: 's', version: 'v' }, credential: () => undefined });
          let tried = 0;
          const outcome = await walkPlan<RouteOutcome>(plan.root, {
            facts: () => ({
              metadata: {},
              params: {},
              pathname: '/',
              work: { left: 1_000_000, nextSlice: async () => {} },
            }),
            random: () => 0.5,
            open: new Set(),
            repeatable: () => true,
            abandon: () => {},
            stick: async (_plan, _branch, draw) => draw(undefined),
            attempt: async ({ settings }) => {
              tried += 1;
              shapeParams({ a: body }, settings.shape);
              return { status: statuses.next().value ?? 200, fallback: 'status' };
            },
          });
          expect(outcome.status).toBeGreaterThanOrEqual(200);
          expect(tried).toBeLessThanOrEqual(plan.leafCount);
        },
      ),
      runs(200),
    );
  });

  test('may be of any depth and width without a stall', () => {
    const deep = JSON.parse(`${'{"targets":['.repeat(2_000)}{}${']}'.repeat(2_000)}`);
    const wide = {
      strategy: { mode: 'fallback' },
      targets: Array.from({ length: 20_000 }, () => ({ provider: '@a' })),
    };
    for (const value of [deep, wide, { ...wide, targets: [wide, wide] }]) {
      const before = process.threadCpuUsage();
      expect(parse(value).ok).toBe(false);
      expect(process.threadCpuUsage(before).user / 1_000, 'CPU time in ms').toBeLessThan(5_000);
    }
  });
});
