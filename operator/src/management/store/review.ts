/** The verdict of the webhook as a problem of a write. */
import { type Issue, isObject } from '@gatehouse/crds';
import { GROUP } from '@gatehouse/crds/kinds';
import { PERMITTED_ONLY, type ReviewedWrite, type ReviewView, reviewWrite } from '../../review/index.ts';
import type { Place, WriteProblem } from './port.ts';

/** Undefined for a write that may happen. */
export function problemInReview(
  { kind, namespace, name }: Place,
  write: Pick<ReviewedWrite, 'operation' | 'object' | 'oldObject'>,
  view: ReviewView,
): WriteProblem | undefined {
  const asked = {
    kind: { group: GROUP, kind },
    ...(namespace === undefined ? {} : { namespace }),
    name,
    userInfo: { username: 'gatehouse-management' },
    ...write,
  };
  const verdict = reviewWrite(asked, view);
  if (verdict.allowed) return undefined;
  if (verdict.users !== undefined) return { kind: 'in-use', users: verdict.users };
  const causes = verdict.causes ?? [{ message: verdict.message, path: [] }];
  return { kind: 'invalid', issues: causes.map(toIssue) };
}

const toIssue = ({ path, message }: Pick<Issue, 'path' | 'message'>): Issue => ({ code: 'invalid', path, message });

/** The object as it is tried where it must not wait for a permission. */
export const permittedOnly = <O extends { readonly metadata?: unknown }>(object: O): O => {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const annotations = isObject(metadata['annotations']) ? metadata['annotations'] : {};
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [PERMITTED_ONLY]: 'true' } } };
};
