/** The user that a sidecar runs as: on no platform one that the application's containers have. */
import { isObject } from '@gatehouse/crds';
import { SIDECAR_CONTAINER } from '../../kinds/sidecar-profile/index.ts';
import type { Container, Pod } from './pod.ts';

/**
 * Annotation of every namespace of OpenShift: the users that its pods may run as, `FIRST/COUNT` or `FIRST-LAST`. A pod with
 * another user is refused, and containers that name none get the first.
 * https://docs.redhat.com/en/documentation/openshift_container_platform/latest/html/authentication_and_authorization/managing-pod-security-policies
 */
export const USER_RANGE_ANNOTATION = 'openshift.io/sa.scc.uid-range';

interface UserRange {
  readonly first: number;
  readonly last: number;
}

/** Where the platform assigns none. The user of the image, 65532, is that of many other images, too. */
const ANY: UserRange = { first: 64_786, last: 65_531 };
/** The largest that the API server takes. */
const MAX_USER = 2_147_483_647;

/** The lowest user behind the first of the range that no container of the pod names. */
export function sidecarUser({ spec }: Pod, annotation?: string): number {
  const { first, last } = parseRange(annotation) ?? ANY;
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const others = containers.filter(({ name }) => name !== SIDECAR_CONTAINER);
  const taken = new Set([spec, ...others].map(userOf));
  for (let user = first + 1; user <= last; user += 1) if (!taken.has(user)) return user;
  return first;
}

/** Undefined for a text that is no range. */
function parseRange(annotation = ''): UserRange | undefined {
  const [, start, separator, end] = /^(\d{1,10})([/-])(\d{1,10})$/.exec(annotation) ?? [];
  const first = Number(start);
  const last = separator === '/' ? first + Number(end) - 1 : Number(end);
  return first >= 1 && last >= first && last <= MAX_USER ? { first, last } : undefined;
}

function userOf({ securityContext }: Pod['spec'] | Container): unknown {
  return isObject(securityContext) ? securityContext['runAsUser'] : undefined;
}
