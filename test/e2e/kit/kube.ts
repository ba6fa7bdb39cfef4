/** The API server as the scenarios use it: any other answer than the expected one fails the test with its text. */
import { isObject } from '@gatehouse/crds';
import { z } from 'zod';
import { type ControlPlaneAccess, runKubectl } from '../../cluster/index.ts';

const condition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(''), // conditions of pods have none
  message: z.string().default(''),
});
export type Condition = z.infer<typeof condition>;

/** An object of any kind; what a scenario reads of it. */
export const kubeObject = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    generation: z.number().optional(),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.looseObject({}).default({}),
  status: z.looseObject({ conditions: z.array(condition).default([]) }).default({ conditions: [] }),
});
export type KubeObject = z.infer<typeof kubeObject>;

const list = z.looseObject({ items: z.array(kubeObject) });

const CORE = '/api/v1';
export const GATEHOUSE = '/apis/gatehouse.dev/v1alpha1';

/** Path of a namespaced resource: `pathOf(GATEHOUSE, 'team-a', 'apikeys/app')`. */
export const pathOf = (group: string, namespace: string, resource: string): string =>
  `${group}/namespaces/${namespace}/${resource}`;
export const corePath = (namespace: string, resource: string): string => pathOf(CORE, namespace, resource);

async function must(controlPlane: ControlPlaneAccess, ...call: Parameters<ControlPlaneAccess['request']>) {
  const { status, body } = await controlPlane.request(...call);
  if (status >= 200 && status < 300) return body;
  throw new Error(`${call[0]} ${call[1]} was answered with ${status}: ${JSON.stringify(body)}`);
}

export const readObject = async (controlPlane: ControlPlaneAccess, path: string): Promise<KubeObject> =>
  kubeObject.parse(await must(controlPlane, 'GET', path));

/** Undefined when there is none. */
export async function findObject(controlPlane: ControlPlaneAccess, path: string): Promise<KubeObject | undefined> {
  const { status, body } = await controlPlane.request('GET', path);
  if (status === 404) return undefined;
  if (status === 200) return kubeObject.parse(body);
  throw new Error(`GET ${path} was answered with ${status}: ${JSON.stringify(body)}`);
}

export const listObjects = async (controlPlane: ControlPlaneAccess, path: string): Promise<readonly KubeObject[]> =>
  list.parse(await must(controlPlane, 'GET', path)).items;

/** Resolves when the API server has answered: effects are measured from then. */
export async function mergePatch(controlPlane: ControlPlaneAccess, path: string, body: object): Promise<void> {
  await must(controlPlane, 'PATCH', path, { body, contentType: 'application/merge-patch+json' });
}

export async function deleteObject(controlPlane: ControlPlaneAccess, path: string): Promise<void> {
  await must(controlPlane, 'DELETE', path);
}

export const applyObjects = (controlPlane: ControlPlaneAccess, items: readonly object[]): Promise<string> =>
  runKubectl(controlPlane, ['apply', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });

/** Waits until all objects of these kinds in the namespace are Ready. */
export const allReady = (controlPlane: ControlPlaneAccess, namespace: string, kinds: string): Promise<string> =>
  runKubectl(controlPlane, ['wait', '-n', namespace, '--for=condition=Ready', '--all', kinds, '--timeout=300s']);

export const conditionOf = (object: KubeObject, type: string): Condition | undefined =>
  object.status.conditions.find((candidate) => candidate.type === type);

/** Whether a condition is True for the present generation. */
export function isTrue(object: KubeObject, type: string): boolean {
  const observed = object.status['observedGeneration'];
  return conditionOf(object, type)?.status === 'True' && observed === object.metadata.generation;
}

/** A text deep inside an object. */
export function textAt(object: unknown, ...path: readonly string[]): string {
  const value = path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), object);
  return typeof value === 'string' ? value : '';
}
