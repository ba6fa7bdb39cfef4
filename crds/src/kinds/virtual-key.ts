import { z } from 'zod';
import { dateTime, setList } from '../schema/index.ts';
import {
  COARSE_UNITS,
  checkConnection,
  connectionFields,
  defineKind,
  description,
  displayName,
  providerId,
  rateLimits,
  statusOf,
  usageColumns,
  usageLimits,
  usageStatus,
} from './parts/index.ts';

const spec = z
  .strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    provider: providerId('provider is the id of the provider, as in the provider reference.'),
    ...connectionFields,
    models: setList(z.string().min(1).max(256), 'models are the models that may be used; absent: all.', 200).optional(),
    rateLimits: rateLimits(COARSE_UNITS).optional(),
    usageLimits: usageLimits().optional(),
    expiresAt: dateTime('expiresAt is when the virtual key stops working; absent: never.').optional(),
  })
  .meta({ description: 'spec is the desired state of the virtual key.' });

export const virtualKey = defineKind({
  kind: 'VirtualKey',
  plural: 'virtualkeys',
  shortNames: ['gwvk'],
  summary: 'A provider with its credential and limits, addressed as @NAME or by the x-gw-virtual-key header.',
  spec,
  status: statusOf(usageStatus),
  columns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'Expires', type: 'string', jsonPath: '.spec.expiresAt' },
    ...usageColumns,
  ],
  check: ({ spec: wanted }) => checkConnection(wanted),
});
