import { z } from 'zod';
import { dateTime } from '../schema/index.ts';
import {
  COARSE_UNITS,
  defineKind,
  description,
  displayName,
  nameRef,
  overloadSwitch,
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
    integrationRef: nameRef(
      'integrationRef names the Integration: one of the workspace, else one of the organisation that is granted to it.',
    ),
    rateLimits: rateLimits(COARSE_UNITS).optional(),
    usageLimits: usageLimits().optional(),
    inspectStreamForOverload: overloadSwitch('account').optional(),
    expiresAt: dateTime('expiresAt is when the provider stops working; absent: never.').optional(),
  })
  .meta({ description: 'spec is the desired state of the provider.' });

export const provider = defineKind({
  kind: 'Provider',
  plural: 'providers',
  shortNames: ['gwprov'],
  summary: 'A name for an Integration in one workspace, addressed as @NAME/model.',
  spec,
  status: statusOf(usageStatus),
  columns: [
    { name: 'Integration', type: 'string', jsonPath: '.spec.integrationRef.name' },
    { name: 'Expires', type: 'string', jsonPath: '.spec.expiresAt' },
    ...usageColumns,
  ],
});
