import { isObject } from '@gatehouse/crds';
import { hasReason } from './api-error.ts';
import type { KubeClient } from './client.ts';
import { apiVersionOf, type KindRef, type KubeObject, type ObjectName } from './objects.ts';

interface AccessReview extends KubeObject {
  readonly spec: { readonly resourceAttributes: Readonly<Record<string, string>> };
  readonly status?: unknown;
}

const ACCESS_REVIEWS: KindRef<AccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
};

const REVIEW_MS = 10_000;

/** A verb on objects of a Kind, or on the one with the name. */
export interface AccessQuestion extends Omit<ObjectName, 'name'> {
  readonly verb: string;
  readonly kind: Pick<KindRef, 'group' | 'plural'>;
  readonly name?: string;
}

/**
 * Whether the operator may do something; undefined where the API server does not answer that. Rejects with ApiError.
 */
export async function isAllowedTo(
  client: Pick<KubeClient, 'create'>,
  { verb, kind, namespace = '', name = '' }: AccessQuestion,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const review: AccessReview = {
    apiVersion: apiVersionOf(ACCESS_REVIEWS),
    kind: ACCESS_REVIEWS.kind,
    metadata: { name: '' },
    spec: { resourceAttributes: { verb, group: kind.group, resource: kind.plural, namespace, name } },
  };
  try {
    const { status } = await client.create(ACCESS_REVIEWS, review, { signal, timeoutMs: REVIEW_MS });
    const allowed = isObject(status) ? status['allowed'] : undefined;
    return typeof allowed === 'boolean' ? allowed : undefined;
  } catch (error) {
    if (hasReason(error, 'Forbidden')) return undefined;
    throw error;
  }
}
