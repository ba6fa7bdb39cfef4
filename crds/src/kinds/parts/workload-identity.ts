/** ServiceAccounts that act in a workspace with their own tokens: docs/behaviour/identity.md#serviceaccounts. */
import { z } from 'zod';
import { mapList, namespaceName, objectName, pattern, setList } from '../../schema/index.ts';
import { RATE_UNITS, rateLimits } from './limits.ts';

const workloadIdentity = z.strictObject({
  namespace: namespaceName('namespace is where the ServiceAccount is.'),
  serviceAccount: objectName('serviceAccount is the name of the ServiceAccount.'),
  scopes: setList(
    pattern(/^[a-z_]+[.:][a-z]+$/, 'a scope like completions.write', 64),
    'scopes are what pods with the ServiceAccount may do, as resource.action or resource:action.',
    200,
  ).min(1),
  rateLimits: rateLimits(RATE_UNITS).optional(),
});

/** By namespace and name of the ServiceAccount. */
export const workloadIdentities = mapList(workloadIdentity, ['namespace', 'serviceAccount'], {
  description:
    'workloadIdentities are ServiceAccounts of the cluster whose tokens for the audience gatehouse.dev/gateway are accepted in place of API keys. A ServiceAccount acts in one workspace.',
  max: 64,
});
