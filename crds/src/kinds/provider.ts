import { z } from 'zod';
import { dateTime } from '../schema/index.ts';
import {
  COARSE_UNITS,
  defineKind,
  description,
  displayName,
  nameRef,
  rateLimits,
  statusOf,
  usageLimits,
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
    expiresAt: dateTime('expiresAt is when the provider stops working; absent: never.').optional(),
  })
  .meta({ description: 'spec is what the provider wants.' });

export const provider = defineKind({
  kind: 'Provider',
  plural: 'providers',
  shortNames: ['gwprov'],
  summary: "A workspace's own handle on an Integration, addressed as @NAME/model.",
  spec,
  status: statusOf({}),
  columns: [
    { name: 'Integration', type: 'string', jsonPath: '.spec.integrationRef.name' },
    { name: 'Expires', type: 'string', jsonPath: '.spec.expiresAt' },
  ],
});
