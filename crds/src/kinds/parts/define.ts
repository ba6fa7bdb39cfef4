/** How a Kind is defined. */
import { z } from 'zod';
import type { TargetCaps } from '../../config/index.ts';
import { type Issue, type Rule, withRules } from '../../schema/index.ts';
import { type ObjectMeta, objectMeta } from './object-meta.ts';

export const GROUP = 'gatehouse.dev';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}` as const;
export const CATEGORY = 'gatehouse';

/** A resource as in a file or on the API server. */
export interface Resource<K extends string, S, T> {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: K;
  readonly metadata: ObjectMeta;
  readonly spec: S;
  readonly status?: T | undefined;
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  /** Shown with `-o wide` only. */
  readonly wide?: true;
}

/** Where `kubectl scale` and autoscalers find the numbers of pods and their labels. */
export interface ScaleSubresource {
  /** Of a field that always has a value: without one the API server has no scale. */
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** Of a label selector as text. */
  readonly labelSelectorPath: string;
}

export interface KindDefinition<K extends string, S extends z.ZodType, T extends z.ZodType> {
  readonly kind: K;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  /** One sentence for the reference and `kubectl explain`. */
  readonly summary: string;
  readonly columns: readonly PrinterColumn[];
  /** Present: the Kind has the scale subresource. */
  readonly scale?: ScaleSubresource;
  readonly spec: S;
  readonly status: T;
  /** The whole object: strict everywhere but in metadata. */
  readonly resource: z.ZodType<Resource<K, z.output<S>, z.output<T>>>;
  /** Checks that neither schema nor CEL can express, with paths from the root of the resource. */
  check?(resource: Resource<K, z.output<S>, z.output<T>>, options: CheckKindOptions): Issue[];
}

export interface CheckKindOptions {
  /** Caps of routing configs, which a deployment may change. */
  readonly caps: TargetCaps;
}

export type AnyKind = KindDefinition<string, z.ZodType, z.ZodType>;

interface KindOptions<K extends string, S extends z.ZodType, T extends z.ZodType>
  extends Pick<
    KindDefinition<K, S, T>,
    'kind' | 'plural' | 'shortNames' | 'summary' | 'scale' | 'spec' | 'status' | 'check'
  > {
  readonly scope?: 'Cluster';
  /** Columns of this Kind, between Reason and Age. */
  readonly columns?: readonly PrinterColumn[];
  /** Rules of the whole object, e.g. about its name. */
  readonly rules?: readonly Rule<Resource<K, z.output<S>, z.output<T>>>[];
}

/** Defines a Kind of the group; the columns that all Kinds share are added. */
export function defineKind<const K extends string, S extends z.ZodType, T extends z.ZodType>(
  options: KindOptions<K, S, T>,
): KindDefinition<K, S, T> {
  const { kind, scope = 'Namespaced', columns = [], rules = [], ...rest } = options;
  return {
    ...rest,
    kind,
    singular: kind.toLowerCase(),
    scope,
    columns: [...CONDITION_COLUMNS, ...columns, AGE, ...WIDE_COLUMNS],
    resource: withRules(resourceSchema(kind, options.spec, options.status), rules),
  };
}

function resourceSchema<K extends string, S extends z.ZodType, T extends z.ZodType>(kind: K, spec: S, status: T) {
  // The cast gives the type that zod would infer without the type parameters.
  return z.strictObject({
    apiVersion: z.literal(API_VERSION),
    kind: z.literal(kind),
    metadata: objectMeta,
    spec,
    status: status.optional(),
  }) as unknown as z.ZodType<Resource<K, z.output<S>, z.output<T>>>;
}

const condition = (name: string, type: string, field: 'status' | 'reason' | 'message'): PrinterColumn => ({
  name,
  type: 'string',
  jsonPath: `.status.conditions[?(@.type=="${type}")].${field}`,
});

const CONDITION_COLUMNS = [condition('Ready', 'Ready', 'status'), condition('Reason', 'Ready', 'reason')];
const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const WIDE_COLUMNS: readonly PrinterColumn[] = [
  condition('Message', 'Ready', 'message'),
  condition('Accepted', 'Accepted', 'status'),
  condition('Programmed', 'Programmed', 'status'),
].map((column) => ({ ...column, wide: true }));

/** Names from which the operator derives Service names (RFC 1035 label, 63 characters): 23 are left for suffixes. */
const SHORT_NAME = /^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/;

/** The rule for Kinds whose name becomes part of other names; `spec` is a minimal valid one. */
export function shortNameRule(kind: string, spec: object): Rule<{ readonly metadata: ObjectMeta }> {
  const named = (name: string) => ({ apiVersion: API_VERSION, kind, metadata: { name }, spec });
  return {
    cel: `self.metadata.name.matches('${SHORT_NAME.source}')`,
    message:
      'the name is used in names of other objects: at most 40 letters, digits and dashes, beginning with a letter',
    at: 'metadata.name',
    holds: ({ metadata }) => SHORT_NAME.test(metadata.name),
    valid: [named('default'), named('a')],
    invalid: [named('a.b'), named('1st'), named(`a${'b'.repeat(40)}`)],
  };
}
