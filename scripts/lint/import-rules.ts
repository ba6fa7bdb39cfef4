/**
 * What the folders may import. `npm run gen` turns these tables into the rules of Biome (`import-rules.generated.json`,
 * which `biome.json` extends); `npm run lint` enforces them, type imports included. A message names where the code should go.
 */
import { readdirSync } from 'node:fs';

export interface ImportRule {
  /** Folders or single files; a folder includes what is below it. */
  readonly in: readonly string[];
  /** Folders or files below `in` that are free of the rule. */
  readonly except?: readonly string[];
  /** Import specifiers as Biome matches them: package names, and globs over relative paths. */
  readonly forbids: readonly string[];
  readonly message: string;
}

export interface Layers {
  readonly parent: string;
  /** For each folder of the parent: the sibling folders that it may import, or `any`. A folder that is missing here fails a test. */
  readonly mayImport: Readonly<Record<string, readonly string[] | 'any'>>;
}

export const LAYERS: readonly Layers[] = [
  {
    parent: 'gateway/src',
    mayImport: {
      lib: [],
      errors: ['lib'],
      usage: ['lib'],
      cost: ['lib', 'usage'],
      record: ['lib', 'errors', 'usage', 'cost'],
      telemetry: ['lib', 'errors', 'usage', 'cost', 'record'],
      tracing: ['lib', 'errors', 'usage', 'cost', 'record', 'telemetry'],
      'request-log': ['lib', 'errors', 'usage', 'cost', 'record', 'telemetry', 'store', 'object-storage'],
      store: ['lib', 'errors'],
      cache: ['lib', 'errors', 'store', 'wire'],
      limits: ['lib', 'errors', 'store'],
      budgets: ['lib', 'errors', 'store'],
      wire: ['lib', 'errors', 'usage'],
      upstream: ['lib', 'errors'],
      providers: ['lib', 'errors', 'wire', 'upstream'],
      prompts: ['lib', 'errors'],
      routing: ['lib', 'errors', 'wire', 'providers', 'guardrails'],
      guardrails: ['lib', 'errors', 'wire', 'upstream', 'providers'],
      snapshot: [
        ...['lib', 'errors', 'cost', 'wire', 'upstream', 'providers', 'guardrails', 'routing', 'limits', 'budgets'],
        'prompts',
      ],
      identity: ['lib', 'errors', 'upstream', 'snapshot', 'limits', 'budgets'],
      fleet: ['lib', 'errors', 'upstream'],
      'fleet-counters': [
        ...['lib', 'errors', 'upstream', 'store', 'fleet', 'limits', 'budgets', 'snapshot', 'identity'],
      ],
      'fleet-records': [
        ...['lib', 'errors', 'upstream', 'fleet', 'fleet-counters', 'request-log', 'snapshot', 'identity'],
      ],
      pipeline: [
        ...['lib', 'errors', 'wire', 'upstream', 'providers', 'routing', 'snapshot'],
        ...[
          'cache',
          'limits',
          'budgets',
          'store',
          'record',
          'cost',
          'usage',
          'identity',
          'fleet',
          'guardrails',
          'prompts',
        ],
      ],
      realtime: [
        ...['lib', 'errors', 'usage', 'wire', 'record', 'snapshot', 'pipeline', 'telemetry'],
        ...['config', 'listener'],
      ],
      'object-storage': ['lib', 'errors', 'upstream', 'providers'],
      batches: [
        ...['lib', 'errors', 'store', 'wire', 'upstream', 'providers', 'record', 'snapshot', 'pipeline'],
        'object-storage',
      ],
      ingest: ['lib', 'errors', 'usage', 'budgets', 'record', 'snapshot', 'pipeline', 'request-log'],
      'usage-report': ['budgets'],
      config: 'any',
      app: 'any',
      listener: 'any',
    },
  },
  {
    parent: 'operator/src',
    mayImport: {
      runtime: [],
      translate: [],
      config: ['runtime', 'translate'],
      certificates: ['runtime'],
      refs: ['runtime', 'translate'],
      services: ['runtime', 'translate', 'refs'],
      'guarded-http': [],
      signing: [],
      'secret-managers': ['translate', 'guarded-http', 'signing'],
      world: ['runtime', 'translate'],
      publish: ['runtime', 'translate', 'world'],
      status: ['runtime', 'translate', 'world', 'publish'],
      usage: ['runtime', 'translate', 'publish'],
      alerts: ['runtime', 'usage'],
      kinds: ['runtime', 'translate', 'refs', 'status', 'certificates'],
      review: ['translate'],
      webhook: ['runtime', 'translate', 'review', 'certificates', 'kinds'],
      'snapshot-service': ['runtime', 'translate', 'certificates'],
      embedded: ['runtime', 'world', 'kinds'],
      retirement: ['runtime', 'world', 'kinds'],
      management: ['runtime', 'translate', 'world', 'review', 'guarded-http', 'signing'],
      app: 'any',
    },
  },
];

/** Holds in every package and in tests; the rules below leave tests free. */
export const EVERYWHERE: readonly ImportRule[] = [
  {
    in: ['crds', 'gateway', 'operator', 'standalone', 'images', 'scripts/machine', 'test'],
    forbids: ['**/main.ts'],
    message: 'Nothing imports a composition root; move what you need into a folder with a door.',
  },
];

const PROVIDERS = 'gateway/src/providers';
/** What providers share; every other folder is one provider. */
const SHARED_BY_PROVIDERS: ReadonlySet<string> = new Set(['clouds', 'engine', 'openai-like', 'table']);

/** No provider imports another one. */
function providerRules(): ImportRule[] {
  const entries = readdirSync(new URL(`../../${PROVIDERS}`, import.meta.url), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const providers = folders.filter((name) => !SHARED_BY_PROVIDERS.has(name)).sort();
  return providers.map((name) => ({
    in: [`${PROVIDERS}/${name}`],
    forbids: providers.filter((other) => other !== name).flatMap((other) => [`../${other}/**`, `../../${other}/**`]),
    message: 'A provider imports no other one: what both need belongs in engine, openai-like, clouds or wire.',
  }));
}

export const RULES: readonly ImportRule[] = [
  {
    in: ['crds/src'],
    forbids: ['@gatehouse/*', '**/gen/**'],
    message: 'The contract depends on nothing of ours.',
  },
  {
    in: ['images', 'scripts/machine'],
    forbids: ['**/test/**', '@gatehouse/test', '@gatehouse/test/*'],
    message: 'Images do not depend on tests; what both need belongs in scripts/machine or in images.',
  },
  {
    in: ['gateway/src'],
    forbids: [
      ...[
        '@kubernetes/*',
        '@gatehouse/operator',
        '@gatehouse/operator/*',
        '@gatehouse/standalone',
        '@gatehouse/standalone/*',
      ],
      ...['**/operator/src/**', '**/standalone/src/**', '@gatehouse/gateway', '@gatehouse/gateway/*'],
    ],
    message: 'The data plane knows the Snapshot, never Kubernetes; what both sides need belongs in @gatehouse/crds.',
  },
  {
    in: ['gateway/src/routing', 'gateway/src/pipeline'],
    forbids: ['**/providers/register.ts'],
    message: 'Shared code names no provider: ask the compiled target for what its provider declares.',
  },
  {
    in: ['gateway/src/routing'],
    forbids: ['**/wire/openai/**'],
    message: 'Routing knows no wire format: pass the fact it needs as an argument.',
  },
  {
    in: ['operator/src'],
    forbids: [
      ...['@gatehouse/gateway', '@gatehouse/gateway/*', '@gatehouse/standalone', '@gatehouse/standalone/*'],
      ...['**/gateway/src/**', '**/standalone/src/**', '@gatehouse/operator', '@gatehouse/operator/*'],
    ],
    message: 'The control plane knows no provider code; what both sides need belongs in @gatehouse/crds.',
  },
  {
    in: ['operator/src/translate'],
    forbids: ['@kubernetes/*', 'node:fs*', 'node:net', 'node:http*'],
    message: 'Translation is pure: resources in, Snapshot and verdicts out.',
  },
  {
    in: ['operator/src/management'],
    except: ['operator/src/management/store/kubernetes'],
    forbids: ['**/runtime/**', '**/world/**', '**/store/kubernetes/**', './kubernetes/**'],
    message: 'Management knows the port of a store: only its adapter for Kubernetes knows the API server.',
  },
  {
    in: ['gateway/src'],
    except: ['gateway/src/upstream', 'gateway/src/snapshot/sources/https.ts'],
    forbids: ['undici', 'undici/*'],
    message: 'Only the upstream client and the HTTPS client of the Snapshot sources know undici: use their ports.',
  },
  {
    in: ['gateway/src'],
    except: ['gateway/src/listener', 'gateway/src/tracing/grpc.ts'],
    forbids: ['fastify', 'fastify/*', 'node:http', 'node:http2', 'node:https'],
    message: 'Only the listener knows the HTTP server and its framework: use the port Listener.',
  },
  {
    in: ['gateway/src'],
    except: ['gateway/src/store/redis'],
    forbids: ['ioredis', 'ioredis/*'],
    message: 'Only gateway/src/store/redis knows ioredis: use RedisConnection.',
  },
  {
    in: ['operator/src'],
    except: ['operator/src/runtime'],
    forbids: ['@kubernetes/*'],
    message: 'Only operator/src/runtime knows @kubernetes/client-node: use its client.',
  },
  ...providerRules(),
];
