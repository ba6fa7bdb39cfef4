/**
 * Kinds and fields whose engine does not exist yet: understood, and refused rather than ignored (DESIGN section 4). The
 * feature that brings an engine deletes its row. Fields of routing configs have their own table in `config/unsupported.ts`.
 */

import { isObject } from '../lib/result.ts';
import type { Issue } from '../schema/index.ts';
import type { KindName } from './registry.ts';

export interface UnsupportedFeature {
  /** Completes "… not part of this version". */
  readonly engine: string;
  /** Kinds that mean nothing without the engine. */
  readonly kinds?: readonly KindName[];
  /** Field paths by Kind; `[]` stands for every item. */
  readonly fields?: Readonly<Partial<Record<KindName, readonly string[]>>>;
  /** Only this value of the fields is missing. */
  readonly value?: string;
}

export const UNSUPPORTED: readonly UnsupportedFeature[] = [
  {
    engine: 'rate limits of tokens are',
    fields: { ApiKey: ['spec.rateLimits[].type'] },
    value: 'tokens',
  },
  {
    engine: 'rate limits of anything but API keys are',
    kinds: ['RateLimitPolicy'],
    fields: {
      Workspace: ['spec.rateLimits'],
      VirtualKey: ['spec.rateLimits'],
      Provider: ['spec.rateLimits'],
      IntegrationAccess: ['spec.rateLimits'],
    },
  },
  {
    engine: 'budgets are',
    kinds: ['UsageLimitPolicy'],
    fields: {
      ApiKey: ['spec.usageLimits'],
      Workspace: ['spec.usageLimits'],
      VirtualKey: ['spec.usageLimits'],
      Provider: ['spec.usageLimits'],
      IntegrationAccess: ['spec.usageLimits'],
    },
  },
  {
    engine: 'guardrails are',
    kinds: ['Guardrail'],
    fields: {
      Organisation: [
        'spec.inputGuardrailRefs',
        'spec.outputGuardrailRefs',
        'spec.inputGuardrailExemptWorkspaces',
        'spec.outputGuardrailExemptWorkspaces',
      ],
      Workspace: ['spec.defaults.inputGuardrailRefs', 'spec.defaults.outputGuardrailRefs'],
    },
  },
  {
    engine: 'prices are',
    kinds: ['ModelPricing'],
    fields: { Integration: ['spec.priceMultiplier', 'spec.models[].usdPerMillionTokens'] },
  },
  {
    engine: 'hosts and headers of single models are',
    fields: { Integration: ['spec.models[].customHost', 'spec.models[].headers'] },
  },
  { engine: 'mails are', fields: { ApiKey: ['spec.alertEmails'] } },
  {
    engine: 'policies for new keys are',
    fields: { Organisation: ['spec.metadataSchema', 'spec.keyPolicy'], Workspace: ['spec.keyPolicy'] },
  },
  { engine: 'tokens of other issuers are', fields: { Organisation: ['spec.jwtIssuers'] } },
  {
    engine: 'roles of people are',
    fields: { Organisation: ['spec.roleToggles'], Workspace: ['spec.roleToggles'] },
  },
  { engine: 'records in PostgreSQL are', fields: { GatewayFleet: ['spec.stores.postgres'] } },
  { engine: 'bodies in an object store are', fields: { GatewayFleet: ['spec.stores.s3'] } },
  {
    engine: 'a Redis for cached answers alone is',
    fields: { GatewayFleet: ['spec.stores.redis.cacheUrlSecretRef'] },
  },
  {
    engine: 'refusing requests while a store is away is',
    fields: { GatewayFleet: ['spec.storeFailurePolicy'] },
    value: 'closed',
  },
  { engine: 'calls that sidecars pass on to a fleet are', fields: { SidecarProfile: ['spec.fleetRef'] } },
  { engine: 'exports of logs are', fields: { Organisation: ['spec.deniedExportFields'] } },
];

type Path = readonly (string | number)[];
type Found = readonly [Path, unknown];

/** The unsupported kind, fields and values of a parsed resource; what is absent or empty asks for nothing. */
export function unsupportedFields(kind: KindName, resource: unknown): Issue[] {
  return UNSUPPORTED.flatMap((row) =>
    askedFor(row, kind, resource).map(
      (path): Issue => ({ code: 'unsupported', path, message: `${row.engine} not part of this version` }),
    ),
  );
}

function askedFor({ kinds = [], fields = {}, value }: UnsupportedFeature, kind: KindName, resource: unknown): Path[] {
  if (kinds.includes(kind)) return [['kind']];
  return (fields[kind] ?? [])
    .flatMap((field) => find(resource, field.split('.')))
    .filter(([, found]) => (value === undefined ? isAsked(found) : found === value))
    .map(([path]) => path);
}

const isAsked = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

function find(value: unknown, steps: readonly string[], path: Path = []): Found[] {
  const [step, ...rest] = steps;
  if (step === undefined) return [[path, value]];
  if (!isObject(value)) return [];
  const name = step.replace('[]', '');
  const member = value[name];
  if (step === name) return find(member, rest, [...path, name]);
  return Array.isArray(member) ? member.flatMap((item, i) => find(item, rest, [...path, name, i])) : [];
}
